import Realtime

/// A sender's answer to one of our reports, which gives an unfiltered round trip. The journal's round trips are
/// smoothed, so their lowest value means little.
struct ReportAnswer: Hashable, Sendable {
  /// Time from sending our report to the arrival of the answer, in seconds.
  var elapsed: Double
  /// How long the sender held it, in seconds.
  var held: Double
  /// The sender's NTP clock when the answer left, in seconds; nil if the compound does not contain it.
  var senderTime: Double?

  /// The unit of fractions in reports: 1/65536 s.
  private static let ticks = 65_536.0
  /// Longest time between our report and its answer, in seconds; an older one answers another sender's report.
  private static let longest = 30.0

  /// The answers in a compound received when our own reports would have contained `clock`: DLRR blocks (RFC 3611
  /// section 4.5) and the LSR and DLSR of report blocks (RFC 3550 section 6.4.1).
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
  /// Takes an answer that arrived at `arrival`, in seconds from the take's zero.
  mutating func observe(_ answer: ReportAnswer, arrival: Double) {
    observe(
      answerTo: arrival - answer.elapsed, held: answer.held, senderTime: answer.senderTime, arrival: arrival)
  }
}

/// The part of a round trip that rests on the sender's word alone.
///
/// A round trip is a time that we measure (from our report to its answer) minus a time that only the sender knows
/// (how long it held the report). The first is an upper limit that no claim can lower: the round trip cannot be
/// longer than the fastest answer took. It also comes close to the truth, because senders answer at arbitrary times
/// and sometimes almost immediately.
struct AnswerTrust: Hashable, Sendable, Codable {
  /// Answers within this many seconds share a path: the lifetime of a round trip (`PathRoundTrip`).
  private static let span = 600.0
  /// Minimum number of answers per path; a remainder with fewer is added to the time before it.
  private static let fewest = 100

  private struct Period: Hashable, Sendable, Codable {
    var begin: Double
    var count = 0
    /// The fastest answer, and the shortest claimed round trip, in seconds.
    var quickest = Double.infinity
    var claimed = Double.infinity
  }

  private var periods: [Period] = []

  /// Takes an answer that arrived `elapsed` seconds after our report and was held for `held` of them, by its own
  /// claim.
  mutating func add(elapsed: Double, held: Double, at time: Double) {
    if periods.last.map({ time - $0.begin > AnswerTrust.span && $0.count >= AnswerTrust.fewest }) ?? true {
      periods.append(Period(begin: time))
    }
    let last = periods.count - 1
    periods[last].count += 1
    periods[last].quickest = min(periods[last].quickest, elapsed)
    periods[last].claimed = min(periods[last].claimed, elapsed - held)
  }

  /// By how much the round trip may be longer than the sender claims, in seconds.
  ///
  /// - Parameter limit: the greatest distance of the truth from where the claims place it now, in seconds, by other means.
  ///   Half of the claimed round trip is part of every bound. It says nothing of earlier paths.
  func doubt(limit: Double? = nil) -> Double {
    var periods = periods
    if periods.count > 1, let rest = periods.last, rest.count < AnswerTrust.fewest {
      periods.removeLast()
      periods[periods.count - 1].quickest = min(periods[periods.count - 1].quickest, rest.quickest)
      periods[periods.count - 1].claimed = min(periods[periods.count - 1].claimed, rest.claimed)
    }
    var doubts = periods.map { max(0, $0.quickest - $0.claimed) }
    if let limit, let last = periods.last {
      doubts[doubts.count - 1] = min(doubts[doubts.count - 1], max(0, limit - last.claimed / 2))
    }
    return doubts.max() ?? 0
  }
}
