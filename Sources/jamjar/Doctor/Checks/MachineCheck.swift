import Server

/// Limits and speed of the machine itself.
enum MachineCheck {
  /// Descriptors of which a quarter still serves some hundred musicians and listeners.
  private static let plenty = 4_096
  /// With fewer, one full room with listeners may lack some.
  private static let least = 256

  /// - Parameter limit: files and connections that the process may open; the service raises its limit to this at the start.
  static func descriptors(_ limit: Int) -> Finding {
    let sentence = "The service may open \(limit) files and connections."
    guard limit < plenty else { return Finding(.descriptors, .ok, sentence) }
    return Finding(
      .descriptors, limit < least ? .failure : .warning, sentence,
      remedy: "Raise the hard limit: ulimit -Hn, or LimitNOFILE= of a unit, or nofile in /etc/security/limits.conf.")
  }

  /// Milliseconds at which musicians begin to hear a delay of the machine alone.
  private static let audible = 5.0

  /// - Parameters:
  ///   - median: time of a packet to another thread of this machine and back, in milliseconds; nil if it failed.
  ///   - worst: the slowest of a hundred.
  static func loopback(median: Double?, worst: Double?) -> Finding {
    guard let median, let worst else {
      return Finding(.loopback, .unknown, "Packets on loopback do not come back.", remedy: "Is lo up (ip link)?")
    }
    func text(_ milliseconds: Double) -> String { "\((milliseconds * 100).rounded() / 100)" }
    let sentence =
      "A packet within this machine takes \(text(median)) ms there and back, one of a hundred \(text(worst)) ms."
    guard worst >= audible else { return Finding(.loopback, .ok, sentence) }
    return Finding(
      .loopback, .warning, sentence,
      remedy:
        "The machine is busy, or shares its processors: end other programs, or take one with processors of its own.")
  }
}
