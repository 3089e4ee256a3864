import Glibc

/// How many descriptors this process may have (RLIMIT_NOFILE), and how many it has.
package enum DescriptorLimit {
  /// No service needs more, and the limits of containers of a billion cost children time.
  private static let most: rlim_t = 65_536

  /// Raises the soft limit to the hard one: 1,024 is the usual default for programs that use `select`, which this is not.
  package static func raise() {
    var limits = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return }
    let wanted = min(limits.rlim_max, max(limits.rlim_cur, most))
    guard wanted > limits.rlim_cur else { return }
    limits.rlim_cur = wanted
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
  }

  static var current: Int {
    var limits = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return Int(most) }
    return Int(clamping: limits.rlim_cur)
  }

  static var inUse: Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) { if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 } }
    // Without the one that reads.
    return count - 1
  }
}
