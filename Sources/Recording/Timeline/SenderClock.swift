import Realtime

/// Estimates when a sender captured a sample, on our clock, from its RTP times, reports and arrivals.
///
/// The packets that waited least lie on a line. Its slope is the sender's drift against our clock; its level is the
/// instant of capture plus the network transit, which is estimated as half of the round trip. Everything else
/// (jitter, queues, retransmissions) lies above the line and does not move it.
///
/// Times are seconds from the take's zero; media times are seconds of the sender's clock from the stream's first
/// packet.
///
/// ```swift
/// var clock = SenderClock()
/// clock.observe(roundTrip: 0.03, at: 0)
/// clock.observe(packet: 1, endingAt: 0.02, arrival: 0.035, isInOrder: true)
/// let captured = clock.captureTime(atMedia: 0)
/// ```
package struct SenderClock: Sendable, Codable {
  /// Of media time, in Hz (RFC 7587 section 4.1).
  static let rate = 48_000.0
  /// Larger values are faults rather than drift; sound cards stay below 300 ppm.
  static let greatestDrift = 1_000e-6
  /// Longest time for which an answer may be held, in seconds: reports leave every few seconds.
  private static let longestHold = 30.0
  /// Reasons why a bound is unknown.
  static let noRoundTrip = "no round trip was measured"
  static let learnedLate = "no round trip was measured until a minute later"

  private(set) var envelope = LowerEnvelope()
  private(set) var references = CaptureReferences()
  private(set) var history = ArrivalHistory()
  private var roundTrip = PathRoundTrip()
  private var checked = CheckedRoundTrip()
  private var trust = AnswerTrust()
  /// The same of this stream's answers alone, and the doubt of the streams before it.
  private var streamTrust = AnswerTrust()
  private var formerDoubt = 0.0
  /// How far the sender's media clock was ahead of our sending time when our reports reached it: the return path.
  private var wayBack = LowerEnvelope()
  private var lateness = CaptureLateness()
  private var ownClock = OwnClock()
  /// Instead of fits, until the sender tells something about its clock.
  private(set) var steady: SteadyLine?
  /// True once RTP time has stood still while sound continued.
  private(set) var hasStoodStill = false
  private var estimate: DriftEstimate
  /// Change of the residual per second of media: the negative drift.
  var slope: Double { estimate.slope }
  /// What shows drops.
  var witness = DropWitness()

  /// Starts without knowledge, or with the drift (ppm) and paths known from an earlier stream of the musician.
  ///
  /// - Parameter isSilent: true for a sender that tells nothing about its clock, and sends when it finds time.
  package init(after earlier: SenderClock? = nil, isSilent: Bool = false) {
    estimate = DriftEstimate(after: earlier?.estimate)
    if let earlier {
      roundTrip = earlier.roundTrip
      checked = earlier.checked
      trust = earlier.trust
      if earlier.isKnown {
        // The next stream may come from another device, with another clock.
        formerDoubt = earlier.doubt
      } else {
        (ownClock, streamTrust) = (earlier.ownClock, earlier.streamTrust)
      }
      hasStoodStill = earlier.hasStoodStill
    }
    if isSilent || earlier?.steady != nil { steady = SteadyLine(slope: slope) }
  }

  /// Adds a packet whose last sample ends at `media` seconds and which arrived at `arrival`.
  package mutating func observe(packet sequence: Int64, endingAt media: Double, arrival: Double, isInOrder: Bool) {
    let point = EnvelopePoint(media: media, residual: arrival - media)
    steady?.note(arrival: arrival)
    if isInOrder { history.add(.init(sequence: sequence, arrival: arrival, point: point)) }
    guard envelope.add(point, at: arrival, slope: slope) else { return }
    if let newest = envelope.fine.last { steady?.add(newest) }
    if let steady { estimate.slope = steady.slope } else { estimate.fit(envelope, references) }
  }

  /// Adds a round trip time of the path, in seconds.
  package mutating func observe(roundTrip seconds: Double, at time: Double) {
    guard seconds >= 0, seconds < 10 else { return }
    roundTrip.add(seconds, at: time)
  }

  /// Adds a check of the path that took `seconds`, and whose answer came at `time`.
  package mutating func observe(checkTrip seconds: Double, at time: Double) {
    guard (0..<10).contains(seconds) else { return }
    checked.add(seconds, at: time)
  }

  /// Adds the answer to a report that we sent at `sent` and the sender held for `held` seconds. The answer left at
  /// `senderTime` of its NTP clock (nil if it is not included) and arrived at `arrival`.
  ///
  /// If capture times relate that clock to the media clock, the two directions are measured separately. Their fastest
  /// packets need not belong to one exchange, so each minimum is found far sooner than that of both together.
  package mutating func observe(answerTo sent: Double, held: Double, senderTime: Double?, arrival: Double) {
    guard held >= 0, held < SenderClock.longestHold else { return }
    // Where the path is checked, no bound rests on what the sender claims.
    if !checked.isCurrent(at: arrival) {
      trust.add(elapsed: arrival - sent, held: held, at: arrival)
      streamTrust.add(elapsed: arrival - sent, held: held, at: arrival)
    }
    observe(roundTrip: arrival - sent - held, at: arrival)
    guard let senderTime, let answered = references.captured(at: senderTime, slope: slope) else { return }
    let reached = answered - held * (1 - slope)
    _ = wayBack.add(EnvelopePoint(media: reached, residual: reached - sent), at: arrival, slope: -slope)
  }

  /// Adds a sender report: the sender's NTP clock was at `senderTime` seconds at `media`.
  package mutating func observe(senderReport senderTime: Double, media: Double, arrival: Double) {
    steady = nil
    ownClock.note(report: senderTime, arrival: arrival)
    for announcement in references.takeExpired(at: arrival) { doubt(announcement) }
    references.add(
      .senderReport, senderTime: senderTime, media: media, arrival: arrival,
      sent: newestPacket(sentBeforeReportOf: media, arrivingAt: arrival))
    noteLateness(ofReport: senderTime, arrival: arrival)
    noteFirstWitness()
  }

  private mutating func noteLateness(ofReport senderTime: Double, arrival: Double) {
    guard let captured = references.captured(at: senderTime, slope: slope), let lowest = envelope.level(slope: slope)
    else { return }
    let excess = arrival - captured - slope * captured - lowest
    lateness.note(excess: excess, besides: levels(of: history.recent).map { $0 - lowest })
  }

  /// Adds an abs-capture-time: the first sample of a packet at `media` was captured at `senderTime`.
  package mutating func observe(captureTime senderTime: Double, media: Double, arrival: Double) {
    steady = nil
    for announcement in references.takeExpired(at: arrival) { doubt(announcement) }
    references.add(.absoluteCaptureTime, senderTime: senderTime, media: media, arrival: arrival, sent: media)
    noteFirstWitness(at: media)
  }

  /// Advances the media clock over a standstill of RTP time shown by capture times: from the packet at `media`
  /// seconds on, everything is `seconds` later. The rest of the estimate remains valid.
  ///
  /// - Parameter announcedAt: arrival of the reading that showed it; nil if only arrivals did.
  package mutating func insert(standstill seconds: Double, at media: Double, announcedAt: Double? = nil) {
    hasStoodStill = true
    envelope.change { $0.insert(standstill: seconds, at: media) }
    steady?.change { $0.insert(standstill: seconds, at: media) }
    history.insert(standstill: seconds, at: media)
    let passed = references.insert(standstill: seconds, at: media, announcedAt: announcedAt)
    for announcement in passed { doubt(announcement) }
    witness.insert(standstill: seconds, at: media, isAnnounced: announcedAt != nil)
    // Here the residual is media time minus ours, so both increase.
    wayBack.change { point in
      guard point.isBehind(media) else { return }
      point.media += seconds
      point.residual += seconds
    }
  }

  /// Adds a reading of a client's own clock: it was at `senderTime` seconds half a round trip before `arrival`.
  package mutating func observe(clockSample senderTime: Double, arrival: Double, roundTrip: Double) {
    ownClock.add(senderTime: senderTime, arrival: arrival, roundTrip: roundTrip)
  }

  /// Rate of the sender's clock relative to ours, in ppm; positive means fast.
  package var drift: Double { -slope * 1e6 }

  /// The basis of the placement, for users.
  package var basis: String { references.basis }
  /// True once a packet has been added.
  package var isKnown: Bool { envelope.level(slope: slope) != nil }
  /// When (seconds from the take's zero) the sample at media time 0 was captured, by the current line.
  package var origin: Double {
    guard let level = steady?.level ?? envelope.level(slope: slope) else { return 0 }
    let departure = level - references.waiting(level: level, slope: slope)
    return departure - shortestRoundTrip(departure) / 2
  }

  /// Half width of the interval around the placement of the sample at `media` seconds that contains the truth, in
  /// seconds; infinite if the network transit is unknown.
  ///
  /// It includes half of the round trip, because the split between the directions is unknown, and the possible error
  /// of the slope over the seconds behind the level. It also includes what rests on the sender's word alone (its
  /// waiting time, or a rate that arrivals contradict), and a rise of the lowest arrivals caused by the microphone or
  /// the path.
  package func errorBound(atMedia media: Double) -> Double {
    let scatter = envelope.fine.suffix(32).map { $0.residual - slope * $0.media }
    let spread = (scatter.max() ?? 0) - (scatter.min() ?? 0)
    return halfOfTheWay + min(spread, 0.02) + (estimate.spread + estimate.contradiction) * 16 + rise(from: media)
  }

  /// How much later than the level everything from `media` seconds on arrived, in seconds. A microphone that dropped
  /// samples, or a slower path, shows this before the level follows. The last packets may just have waited, but nothing
  /// tells one from the other.
  private func rise(from media: Double) -> Double {
    guard let level = envelope.level(slope: slope) else { return 0 }
    var lowest: Double?
    for entry in history.recent.reversed() {
      guard lowest == nil || entry.point.isBehind(media) else { break }
      lowest = min(lowest ?? .infinity, entry.point.residual - slope * entry.point.media)
    }
    return max(0, (lowest ?? level) - level)
  }

  /// How long samples wait in the sender, in seconds; `origin` depends on the sender's word for this.
  private var waiting: Double {
    envelope.level(slope: slope).map { references.waiting(level: $0, slope: slope) } ?? 0
  }

  /// The shortest round trip, the waiting time and the bound on the transit, for a line of the whole stream.
  var way: (roundTrip: Double, waiting: Double, bound: Double)? {
    guard let assumed = assumedRoundTrip, halfOfTheWay.isFinite else { return nil }
    return (assumed, waiting, halfOfTheWay)
  }

  /// False while a round trip may still be a single wrong answer.
  var isWitnessed: Bool { roundTrip.lowest == nil || roundTrip.isWitnessed || checkedLimits != nil }

  /// Possible error beyond `errorBound`, in seconds, if the sender did not hold its answers for as long as it claims.
  /// A client's own clock shows how much those of its stream can be wrong by: a placement assumes half of the round trip.
  var doubt: Double {
    let doubt = trust.doubt()
    guard let assumed = assumedRoundTrip, let way = ownClock.longestWay else { return doubt }
    return min(doubt, max(formerDoubt, streamTrust.doubt(limit: way - assumed / 2)))
  }

  /// The reason why the error bound is unknown, for users; nil if it is known.
  var unknownBecause: String? { halfOfTheWay.isFinite ? nil : SenderClock.noRoundTrip }

  /// Possible error of the drift estimate over `seconds`, in seconds: three standard deviations.
  func extrapolationError(over seconds: Double) -> Double { 3 * estimate.spread * seconds }

  /// What contains the round trip by checks of the path; nil where it is not checked any more.
  private var checkedLimits: ClosedRange<Double>? {
    guard let limits = checked.limits, let newest = history.recent.last?.arrival else { return checked.limits }
    return checked.isCurrent(at: newest) ? limits : nil
  }

  /// Half of the shortest round trip measured as a whole, on the path behind `origin`, in seconds. A sum of two
  /// one-way minima is shorter, and would be meaningless if two clocks were mistaken for one.
  private var halfOfTheWay: Double {
    if let limits = checkedLimits {
      let assumed = assumedRoundTrip ?? limits.upperBound
      return max(assumed / 2, limits.upperBound - assumed / 2) + waiting
    }
    guard let lowest = roundTrip.lowest, let supported = roundTrip.supported else { return .infinity }
    // The others contradict a single answer that is too low, and capture times that make the way too short: the truth lies
    // between the two.
    return max(lowest / 2, supported - (assumedRoundTrip ?? lowest) / 2) + waiting
  }

  /// Time in which a placement follows the estimate, in seconds: longer if only arrivals say anything.
  package var timeConstant: Double { steady == nil ? Placement.usualTimeConstant : Placement.longTimeConstant }

  /// The instant at which the sample at `media` seconds was captured.
  package func captureTime(atMedia media: Double) -> Double { media + slope * media + origin }

  /// The media time captured at `time`.
  package func media(at time: Double) -> Double { (time - origin) / (1 + slope) }

  /// The round trip that the placement assumes, in seconds; nil without packets.
  private var assumedRoundTrip: Double? {
    envelope.level(slope: slope).map { shortestRoundTrip($0 - references.waiting(level: $0, slope: slope)) }
  }

  /// The round trip without queueing, in seconds, given the fastest outward path; 0 without a measurement.
  private func shortestRoundTrip(_ departure: Double) -> Double {
    let claimed = claimedRoundTrip(departure)
    guard let limits = checkedLimits else { return claimed ?? 0 }
    return min(limits.upperBound, max(limits.lowerBound, claimed ?? limits.upperBound))
  }

  /// The same by what the sender tells; nil if it tells nothing.
  private func claimedRoundTrip(_ departure: Double) -> Double? {
    let measured = roundTrip.lowest
    // The media clock cancels out: one direction is measured from it to ours, the other from ours to it. The way back
    // is by capture times, and short by as much as they are late.
    guard let back = wayBack.level(slope: -slope) else { return measured }
    // Less than nothing is the fault of capture times that are later than that.
    let separate = departure + back + lateness.certain
    return separate < 0 ? measured : min(measured ?? .infinity, separate)
  }

  /// An NTP time in seconds since 1900; a double has a precision of half a microsecond here.
  static func seconds(_ time: NTPTime) -> Double { Double(time.bits) / 4_294_967_296 }
}
