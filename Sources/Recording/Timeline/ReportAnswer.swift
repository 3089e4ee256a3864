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

extension SenderClock {
  /// Takes an answer that came at `arrival`, in seconds from the take's zero.
  mutating func observe(_ answer: ReportAnswer, arrival: Double) {
    observe(
      answerTo: arrival - answer.elapsed, held: answer.held, senderTime: answer.senderTime, arrival: arrival)
  }
}

/// How much of a round trip rests on the sender's word alone.
///
/// A round trip is what we measured (from our report to its answer) less what only the sender knows (how long it held the
/// report). The first is an upper limit that nobody can talk down: the round trip cannot be longer than the quickest answer
/// took, whatever is said of it. It comes near to the truth by itself, because senders answer at times of their own, and now
/// and then almost at once.
struct AnswerTrust: Hashable, Sendable {
  /// Answers within so many seconds are of one path: as long as a round trip counts (`PathRoundTrip`).
  private static let span = 600.0
  /// A path is known by so many answers at least; a rest with fewer belongs to the time before it.
  private static let fewest = 100

  private struct Period: Hashable, Sendable {
    var begin: Double
    var count = 0
    /// The quickest answer, and the shortest round trip that was claimed, in seconds.
    var quickest = Double.infinity
    var claimed = Double.infinity
  }

  private var periods: [Period] = []

  /// Takes an answer that came `elapsed` seconds after our report and claims to have been held for `held` of them.
  mutating func add(elapsed: Double, held: Double, at time: Double) {
    if periods.last.map({ time - $0.begin > AnswerTrust.span && $0.count >= AnswerTrust.fewest }) ?? true {
      periods.append(Period(begin: time))
    }
    let last = periods.count - 1
    periods[last].count += 1
    periods[last].quickest = min(periods[last].quickest, elapsed)
    periods[last].claimed = min(periods[last].claimed, elapsed - held)
  }

  /// By how much the round trip may be longer than the sender's word says, in seconds.
  var doubt: Double {
    var periods = periods
    if periods.count > 1, let rest = periods.last, rest.count < AnswerTrust.fewest {
      periods.removeLast()
      periods[periods.count - 1].quickest = min(periods[periods.count - 1].quickest, rest.quickest)
      periods[periods.count - 1].claimed = min(periods[periods.count - 1].claimed, rest.claimed)
    }
    return periods.map { max(0, $0.quickest - $0.claimed) }.max() ?? 0
  }
}
