import Server

/// Whether this machine knows what time it is: tokens, links, certificates and TURN credentials are dated.
enum ClockCheck {
  private static let second: Int64 = 1_000_000_000
  /// A difference that nothing notices, in seconds.
  private static let slack: Int64 = 2
  /// A difference from which on dates are wrong: invitations that have ended, TURN credentials that do not hold yet.
  private static let harm: Int64 = 60

  /// - Parameter ahead: how far our clock is ahead of the server's, in nanoseconds; nil if it did not answer.
  static func finding(ahead: Int64?, of server: String) -> Finding {
    let set =
      "Have it set by itself: timedatectl set-ntp true (systemd-timesyncd), or chrony; then restart the service."
    guard let ahead else {
      return Finding(
        .clock, .unknown, "Whether the clock is right cannot be told: the time server \(server) does not answer.",
        remedy: "Name one that can be reached with --ntp HOST, or compare the output of date with a watch.")
    }
    let seconds = Int64(clamping: ahead.magnitude) / second
    guard seconds >= slack else { return Finding(.clock, .ok, "The clock is right, by \(server).") }
    let sentence = "The clock is \(words(seconds)) \(ahead > 0 ? "ahead" : "behind"), by \(server)."
    return Finding(.clock, seconds >= harm ? .failure : .warning, sentence, remedy: set)
  }

  private static func words(_ seconds: Int64) -> String {
    switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3_600: "\(seconds / 60) min \(seconds % 60) s"
    case ..<86_400: "\(seconds / 3_600) h \(seconds / 60 % 60) min"
    default: "\(seconds / 86_400) days"
    }
  }
}
