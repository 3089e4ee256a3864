import Glibc

/// How the descriptors of the process are shared out: connections may have so many that what is recorded never lacks one.
struct DescriptorBudget: Equatable {
  /// Connections get one of so many that are free; a musician's media, files and threads need twenty for each connection.
  private static let share = 4
  /// Three musicians and those who watch, however few there are.
  private static let leastConnections = 8
  /// Descriptors of one full room whose musicians hear each other: nine connections with a socket for each address and
  /// an event each, the journal, and the files that are rendered.
  private static let fullRoom = 64

  /// Connections at a time.
  var connections: Int
  /// What is left for everything else.
  var others: Int

  /// - Parameters:
  ///   - limit: descriptors that the process may have.
  ///   - inUse: those that it has at its start.
  ///   - most: connections that are taken at most, however many descriptors there are.
  init(limit: Int, inUse: Int, most: Int) {
    let free = max(0, limit - inUse)
    connections = min(most, max(DescriptorBudget.leastConnections, free / DescriptorBudget.share))
    others = max(0, free - connections)
  }

  /// One room of three musicians is recorded whatever else happens.
  var isEnough: Bool { others >= DescriptorBudget.fullRoom }
}

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
