import CLinux
import Glibc

/// Distributes the descriptors of the process: connections are limited so that recording never lacks one.
struct DescriptorBudget: Equatable {
  /// Connections get this fraction (one nth) of the free descriptors; a musician's media needs twenty per connection.
  private static let share = 4
  /// Minimum of connections: three musicians and a few observers, however few descriptors there are.
  private static let leastConnections = 8
  /// Descriptors of one full room with live sound: nine connections with a socket per address and an event each, the
  /// journal, and the files being rendered.
  private static let fullRoom = 64

  /// Connections at a time.
  var connections: Int
  /// Descriptors left for everything else.
  var others: Int

  /// - Parameters:
  ///   - limit: descriptors that the process may have.
  ///   - inUse: descriptors open at the start.
  ///   - most: upper limit of connections, however many descriptors there are.
  init(limit: Int, inUse: Int, most: Int) {
    let free = max(0, limit - inUse)
    connections = min(most, max(DescriptorBudget.leastConnections, free / DescriptorBudget.share))
    others = max(0, free - connections)
  }

  /// True if one room of three musicians can be recorded in any case.
  var isEnough: Bool { others >= DescriptorBudget.fullRoom }
}

/// The limit of descriptors of this process (RLIMIT_NOFILE), and the number in use.
package enum DescriptorLimit {
  /// Cap of the limit: no service needs more, and the billion of some containers slows the start of child processes.
  private static let most: rlim_t = 65_536

  /// Raises the soft limit to the hard one: the usual default of 1,024 serves programs that use `select`.
  package static func raise() {
    var limits = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return }
    let wanted = min(limits.rlim_max, max(limits.rlim_cur, most))
    guard wanted > limits.rlim_cur else { return }
    limits.rlim_cur = wanted
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
  }

  /// Has the kernel make its table of descriptors as large as it may become, which takes 8 bytes for each.
  ///
  /// It doubles as descriptors are opened, and waits each time until no processor uses the old one, if the process has
  /// several threads: 7 to 15 ms (Linux 6.18), in which the thread that opened a musician's socket did nothing else.
  package static func reserve() {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    close(fcntl(descriptor, F_DUPFD_CLOEXEC, CInt(clamping: min(current, Int(most)) - 1)))
    close(descriptor)
  }

  /// What the soft limit can be raised to.
  package static var highest: Int {
    var limits = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return Int(most) }
    return Int(clamping: min(limits.rlim_max, max(limits.rlim_cur, most)))
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
    // Not counting the descriptor of this directory listing.
    return count - 1
  }
}
