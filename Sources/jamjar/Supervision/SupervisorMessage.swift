/// A notification to the service manager: lines of NAME=VALUE, as in sd_notify(3).
enum SupervisorMessage: Hashable, Sendable {
  /// Clients can connect to this port.
  case ready(port: Int)
  /// The service is ending; the manager must wait up to this many seconds before it kills anything.
  case stopping(within: Double)
  /// The service works: a moment ago every thread that carries packets or requests responded.
  case alive

  /// Longest time that is announced, in seconds: a day.
  private static let longest = 86_400.0

  var text: String {
    switch self {
    case .ready(let port): return "READY=1\nSTATUS=Listening on port \(port)"
    case .stopping(let seconds):
      let microseconds = Int64(max(0, min(seconds, SupervisorMessage.longest)) * 1e6)
      return "STOPPING=1\nSTATUS=Completing takes\nEXTEND_TIMEOUT_USEC=\(microseconds)"
    case .alive: return "WATCHDOG=1"
    }
  }
}

/// How a service manager wants to be notified, from the environment that it gives its processes.
struct SupervisorRequest: Hashable, Sendable {
  /// The socket's address as in `sockaddr_un`: a path, or a name in Linux's abstract space after a zero byte (unix(7)).
  var address: [UInt8]
  /// The time without `alive` after which the manager ends the service; nil if it does not want to know.
  var patience: Duration?

  /// Longest address, in bytes; the system adds a zero to a path.
  private static let longest = 107

  /// - Parameters:
  ///   - environment: its `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` are read.
  ///   - process: this process; the watchdog may be meant for another one.
  /// - Returns: nil if no manager wants notifications, or only by a kind of socket that this program does not know.
  init?(environment: [String: String], process: Int32) {
    guard let name = environment["NOTIFY_SOCKET"], let first = name.utf8.first else { return nil }
    let bytes = Array(name.utf8)
    switch first {
    case UInt8(ascii: "/"): address = bytes
    case UInt8(ascii: "@"): address = [0] + bytes.dropFirst()
    default: return nil
    }
    guard bytes.count > 1, bytes.count <= SupervisorRequest.longest, !bytes.contains(0) else { return nil }
    let isOurs = environment["WATCHDOG_PID"].map { Int32($0) == process } ?? true
    if isOurs, let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init), microseconds > 0 {
      patience = .microseconds(microseconds)
    }
  }
}
