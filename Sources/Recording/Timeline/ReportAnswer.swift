import Realtime

/// A sender's answer to one of our reports, from which the round trip is read without anything in between: the service
/// also journals round trips, but smoothed, and what is smoothed has no lowest.
struct ReportAnswer: Hashable, Sendable {
  /// From our sending to the answer's arrival, in seconds.
  var elapsed: Double
  /// How long the sender held it, in seconds.
  var held: Double
  /// What the sender's NTP clock showed when the answer left, in seconds; nil where the compound does not say.
  var senderTime: Double?

  /// Reports' fractions: 1/65536 s.
  private static let ticks = 65_536.0
  /// Longest time between our report and its answer, in seconds; what is older answers somebody else.
  private static let longest = 30.0

  /// The answers of a compound that came when our own reports would have shown `clock`: DLRR blocks (RFC 3611 section
  /// 4.5) and the LSR and DLSR of report blocks (RFC 3550 section 6.4.1).
  static func answers(in packets: [RTCPPacket], at clock: NTPTime) -> [ReportAnswer] {
    var senderTime: Double?
    var pairs: [(last: UInt32, held: UInt32)] = []
    for packet in packets {
      switch packet {
      case .senderReport(let report):
        senderTime = SenderClock.seconds(report.time)
        pairs += report.blocks.map { ($0.lastSenderReport, $0.delaySinceLastSenderReport) }
      case .receiverReport(let report):
        pairs += report.blocks.map { ($0.lastSenderReport, $0.delaySinceLastSenderReport) }
      case .extendedReport(let report):
        for case .delaySinceLastReceiverReport(let delays) in report.blocks {
          pairs += delays.map { ($0.lastReceiverReport, $0.delay) }
        }
      default: break
      }
    }
    return pairs.compactMap { last, held in
      guard last != 0 else { return nil }
      let elapsed = Double(clock.middle &- last) / ticks
      let held = Double(held) / ticks
      return elapsed < longest && held <= elapsed
        ? ReportAnswer(elapsed: elapsed, held: held, senderTime: senderTime) : nil
    }
  }
}
