import Music
import Server

/// Whether a packet from outside reaches a port of media.
enum MediaCheck {
  enum Outcome: Hashable, Sendable {
    case reached
    /// Sent by the relay, and not arrived.
    case lost
    /// There is no relay, or none that could send.
    case notTried(String)
    /// No port of the range is free.
    case noPort
  }

  /// - Parameters:
  ///   - port: the UDP port that was tried.
  ///   - ports: the range of media; nil if the system chooses ports.
  static func finding(_ outcome: Outcome, port: UInt16, ports: ClosedRange<UInt16>?, relays: Bool) -> Finding {
    let range = ports.map { "\($0.lowerBound)-\($0.upperBound)" }
    switch outcome {
    case .reached: return Finding(.media, .ok, "A packet from outside reached UDP port \(port).")
    case .lost:
      let open = range.map { "Forward UDP \($0) in the router to this machine, and open it in the firewall." }
      return Finding(
        .media, relays ? .warning : .failure, "A packet from outside did not reach UDP port \(port).",
        remedy: (open
          ?? "Choose ports (--ice-ports 40000-40099), and forward these (UDP) in the router to this machine.")
          + (relays ? " Until then all music goes through the TURN server, with its delay." : ""))
    case .notTried(let reason):
      return Finding(
        .media, .unknown,
        "Whether media from outside arrives\(range.map { " at UDP \($0)" } ?? "") cannot be told: \(reason).",
        remedy: "Forward the ports of media (--ice-ports, UDP), and try with a phone that is not in your Wi-Fi.")
    case .noPort:
      return Finding(
        .media, .unknown, "All UDP ports of \(range ?? "media") are taken at this moment.",
        remedy: "A full room of three needs nine; choose more with --ice-ports, or look again when nobody plays.")
    }
  }

  /// Whether the range is wide enough for a full room.
  /// - Parameter capacity: musicians in a room: each sends one stream, and hears all others.
  static func width(of ports: ClosedRange<UInt16>?, capacity: Int) -> Finding? {
    guard let ports else { return nil }
    let needed = capacity * capacity
    guard ports.count < needed else { return nil }
    return Finding(
      .media, .warning,
      "--ice-ports has \(ports.count) ports, and one full room of \(capacity) musicians uses \(needed) on each address.",
      remedy: "Give it more: --ice-ports 40000-40999 is enough for dozens of rooms.")
  }
}
