import Realtime

/// Tells when a sender captured a sample, on our clock, from what its RTP times, reports and arrivals say.
///
/// The packets that waited least lie on a line: its slope is the sender's drift against our clock, its level is the
/// instant of capture plus the way through the network, and half of the round trip is taken for that way. Everything
/// else (jitter, queues, retransmissions) lies above the line and does not move it.
///
/// Times are seconds from the take's zero; media times are seconds of the sender's clock from the stream's first
/// packet.
package struct SenderClock: Sendable {
  /// Samples of media time per second, in Hz (RFC 7587 section 4.1).
  static let rate = 48_000.0
  /// How far a sound card's clock is believed to be off before anything is known of it: one standard deviation.
  private static let usualDrift = 100e-6
  /// The same when the drift was measured on an earlier stream of the same musician.
  private static let knownDrift = 10e-6
  /// The same for the sender's wall clock, which most machines keep by NTP.
  private static let usualClock = 30e-6
  /// More than this is not drift but a fault; sound cards stay below 300 ppm.
  private static let greatestDrift = 1_000e-6
  /// Fine bins (seconds) before a slope is looked for, and between two looks at them.
  private static let firstFit = 8
  private static let fitInterval = 4
  /// Coarse bins (of eight seconds) from which the slope rests on them.
  private static let firstCoarseFit = 12
  /// Longest time for which an answer may be held back, in seconds: reports leave every few seconds.
  private static let longestHold = 30.0
  /// Why a bound is unknown.
  static let noRoundTrip = "no round trip was measured"
  static let learnedLate = "no round trip was measured until a minute later"
  /// Fewest packets that show a rise: one or two of them may just have waited.
  private static let fewestRisen = 5
  /// By what two readings of a clock may differ and still be of one clock, in seconds.
  private static let clockGrain = 0.001

  private(set) var envelope = LowerEnvelope()
  private(set) var references = CaptureReferences()
  private(set) var history = ArrivalHistory()
  private var roundTrip = PathRoundTrip()
  private var trust = AnswerTrust()
  /// By how much the sender's media clock was ahead of our time of sending when our reports reached it: the way back.
  private var wayBack = LowerEnvelope()
  private var ownClock = ClockSamples()
  private let priorSlope: Double
  private let priorSpread: Double
  private var fits = 0
  /// RTP time stood still at least once while sound ran on.
  private(set) var hasStoodStill = false
  /// Change of the residual per second of media: minus the drift.
  private(set) var slope: Double
  private var slopeSpread: Double
  /// By how much the rate of the sender's own pairs contradicts that of the arrivals, beyond what either may be off.
  private var slopeContradiction = 0.0

  /// Begins with nothing known, or with the drift (ppm) and paths that an earlier stream of the musician showed.
  package init(after earlier: SenderClock? = nil) {
    priorSlope = earlier?.slope ?? 0
    priorSpread = earlier.map { max(SenderClock.knownDrift, $0.slopeSpread) } ?? SenderClock.usualDrift
    slope = priorSlope
    slopeSpread = priorSpread
    if let earlier {
      roundTrip = earlier.roundTrip
      trust = earlier.trust
      ownClock = earlier.ownClock
      hasStoodStill = earlier.hasStoodStill
    }
  }

  /// Takes a packet whose last sample ends at `media` seconds and which came at `arrival`.
  package mutating func observe(packet sequence: Int64, endingAt media: Double, arrival: Double, isInOrder: Bool) {
    let point = EnvelopePoint(media: media, residual: arrival - media)
    if isInOrder { history.add(.init(sequence: sequence, arrival: arrival, point: point)) }
    if envelope.add(point, at: arrival, slope: slope) { fit() }
  }

  /// Takes a round trip time of the path, in seconds.
  package mutating func observe(roundTrip seconds: Double, at time: Double) {
    guard seconds >= 0, seconds < 10 else { return }
    roundTrip.add(seconds, at: time)
  }

  /// Takes the answer to a report of ours: we sent it at `sent`, the sender held it for `held` seconds, and its answer
  /// left when its NTP clock showed `senderTime` (nil where it does not say) and came at `arrival`.
  ///
  /// Where capture times tie that clock to the media clock, the two ways are told apart: the quickest way there and
  /// the quickest way back need not be those of one exchange, and each is found far sooner than both at once.
  package mutating func observe(answerTo sent: Double, held: Double, senderTime: Double?, arrival: Double) {
    guard held >= 0, held < SenderClock.longestHold else { return }
    trust.add(elapsed: arrival - sent, held: held, at: arrival)
    observe(roundTrip: arrival - sent - held, at: arrival)
    guard let senderTime, let answered = references.captured(at: senderTime, slope: slope) else { return }
    let reached = answered - held * (1 - slope)
    _ = wayBack.add(EnvelopePoint(media: reached, residual: reached - sent), at: arrival, slope: -slope)
  }

  /// Takes a sender report: the sender's NTP clock showed `senderTime` seconds at `media`.
  package mutating func observe(senderReport senderTime: Double, media: Double, arrival: Double) {
    references.add(.senderReport, senderTime: senderTime, media: media, arrival: arrival)
  }

  /// Takes an abs-capture-time: the first sample of a packet at `media` was captured at `senderTime`.
  package mutating func observe(captureTime senderTime: Double, media: Double, arrival: Double) {
    references.add(.absoluteCaptureTime, senderTime: senderTime, media: media, arrival: arrival)
  }

  /// Lets the media clock run on where capture times said that RTP time stood still: from the packet at `media` seconds
  /// on, everything is `seconds` later on it. All that is known of the sender's clock still holds.
  package mutating func insert(standstill seconds: Double, at media: Double) {
    hasStoodStill = true
    envelope.change { $0.insert(standstill: seconds, at: media) }
    history.insert(standstill: seconds, at: media)
    references.insert(standstill: seconds, at: media)
    // There the residual is media time less ours, so that both grow.
    wayBack.change { point in
      guard point.isBehind(media) else { return }
      point.media += seconds
      point.residual += seconds
    }
  }

  /// Takes a clock sample of our own client: its clock showed `senderTime` seconds half a round trip before `arrival`.
  package mutating func observe(clockSample senderTime: Double, arrival: Double, roundTrip: Double) {
    ownClock.add(senderTime: senderTime, arrival: arrival, roundTrip: roundTrip)
  }

  /// The sender's clock against ours in ppm; positive runs fast.
  package var drift: Double { -slope * 1e6 }

  /// What the placement rests on, for people.
  package var basis: String { references.basis }

  /// True once a packet was seen.
  package var isKnown: Bool { envelope.level(slope: slope) != nil }

  /// When (seconds from the take's zero) the sample at media time 0 was captured, by the line that holds now.
  package var origin: Double {
    guard let level = envelope.level(slope: slope) else { return 0 }
    if let exact = originByOwnClock(near: level) { return exact }
    let departure = level - references.waiting(level: level, slope: slope)
    return departure - shortestRoundTrip(departure) / 2
  }

  /// Half width of the interval around the placement of the sample at `media` seconds in which the truth lies, in seconds;
  /// infinite where nothing tells how long the way through the network is.
  ///
  /// Half of the round trip, because nothing on earth tells how it is shared between there and back; what the slope may be
  /// off over the seconds that the level rests on; what stands on the sender's word alone (how long samples wait in it, a
  /// rate that arrivals contradict); and a rise of the lowest arrivals that may be the microphone's or the path's.
  package func errorBound(atMedia media: Double) -> Double {
    let scatter = envelope.fine.suffix(32).map { $0.residual - slope * $0.media }
    let spread = (scatter.max() ?? 0) - (scatter.min() ?? 0)
    return halfOfTheWay + min(spread, 0.02) + (slopeSpread + slopeContradiction) * 16 + rise(from: media)
  }

  /// By how much all that was played from `media` seconds on came later than the level says, in seconds: as much as a
  /// microphone that left samples out, or a path that has become slower, would show before the level follows.
  private func rise(from media: Double) -> Double {
    guard let level = envelope.level(slope: slope) else { return 0 }
    var lowest = Double.infinity
    var count = 0
    for entry in history.recent.reversed() {
      if !entry.point.isBehind(media), count >= SenderClock.fewestRisen { break }
      lowest = min(lowest, entry.point.residual - slope * entry.point.media)
      count += 1
    }
    return count < SenderClock.fewestRisen ? 0 : max(0, lowest - level)
  }

  /// How long samples wait in the sender, which moves `origin` on the sender's word, in seconds.
  private var waiting: Double {
    envelope.level(slope: slope).map { references.waiting(level: $0, slope: slope) } ?? 0
  }

  /// The shortest way there and back, and half of what it may be: what a line of the whole stream rests on besides.
  var way: (roundTrip: Double, waiting: Double, bound: Double)? {
    guard let level = envelope.level(slope: slope), roundTrip.lowest != nil else { return nil }
    return (shortestRoundTrip(level - waiting), waiting, halfOfTheWay)
  }

  /// False while a round trip may still be one answer's lie.
  var isWitnessed: Bool { roundTrip.lowest == nil || roundTrip.isWitnessed }

  /// By how much more than `errorBound` says the truth may lie elsewhere if the sender's answers were not held for as long
  /// as it says, in seconds. A client's own clock needs no such answers.
  var doubt: Double {
    guard let level = envelope.level(slope: slope), originByOwnClock(near: level) != nil else { return trust.doubt }
    return 0
  }

  /// Why the error's bound is unknown, for people; nil where it is known.
  var unknownBecause: String? { halfOfTheWay.isFinite ? nil : SenderClock.noRoundTrip }

  /// What the drift's estimate may be off over so many seconds, in seconds: three standard deviations.
  func extrapolationError(over seconds: Double) -> Double { 3 * slopeSpread * seconds }

  /// Half of the shortest round trip that was measured as a whole, over the path on which `origin` rests, in seconds: what
  /// is put together of two ways is shorter, and where two clocks were mistaken for one it says nothing.
  private var halfOfTheWay: Double {
    if let level = envelope.level(slope: slope), let sample = ownClock.best, let origin = originByOwnClock(near: level)
    {
      // Without a round trip of ours it is the client's word against arrivals: the truth lies between the two.
      let contradiction = roundTrip.lowest == nil ? abs(level - origin) : 0
      return sample.roundTrip / 2 + SenderClock.clockGrain + contradiction
    }
    guard let lowest = roundTrip.lowest, let supported = roundTrip.supported else { return .infinity }
    // One answer that says too little is contradicted by the others: the truth lies between the two.
    return max(lowest / 2, supported - lowest / 2) + waiting
  }

  /// The instant at which the sample at `media` seconds was captured.
  package func captureTime(atMedia media: Double) -> Double { media + slope * media + origin }

  /// The media time that was captured at `time`.
  package func media(at time: Double) -> Double { (time - origin) / (1 + slope) }

  /// There and back without any waiting, in seconds, given the quickest way there; 0 where nobody measured.
  private func shortestRoundTrip(_ departure: Double) -> Double {
    let measured = roundTrip.lowest
    // The media clock cancels out: there is counted from it to ours, back from ours to it.
    guard let back = wayBack.level(slope: -slope) else { return measured ?? 0 }
    return min(measured ?? .infinity, max(0, departure + back))
  }

  /// The origin by a client's own clock, read over a quicker path than the one of the media.
  ///
  /// Nil where that clock cannot be the one of its reports: a sound leaves its sender after it was captured, and not more
  /// than a whole round trip before it is here.
  private func originByOwnClock(near level: Double) -> Double? {
    guard let sample = ownClock.best, let media = references.media(at: sample.senderTime) else { return nil }
    let origin = sample.captured - media * (1 + slope)
    guard roundTrip.lowest != nil || wayBack.level(slope: -slope) != nil else {
      return abs(origin - level) < 1 ? origin : nil
    }
    let departure = level - references.waiting(level: level, slope: slope)
    let wholeWay = shortestRoundTrip(departure)
    let plausible = departure - wholeWay - SenderClock.clockGrain...departure + SenderClock.clockGrain
    return sample.roundTrip < wholeWay && plausible.contains(origin) ? origin : nil
  }

  /// An NTP time in seconds since 1900; a double keeps half a microsecond of it.
  static func seconds(_ time: NTPTime) -> Double { Double(time.bits) / 4_294_967_296 }

  private mutating func fit() {
    fits += 1
    let usesCoarse = envelope.coarse.count >= SenderClock.firstCoarseFit
    guard fits >= SenderClock.firstFit, fits % (usesCoarse ? 8 : SenderClock.fitInterval) == 0,
      let line = TheilSen.fit(usesCoarse ? envelope.coarse : envelope.fine)
    else { return }
    var estimate = Estimate(value: priorSlope, variance: priorSpread * priorSpread)
    let measured = Estimate(value: line.slope, variance: line.uncertainty * line.uncertainty)
    slopeContradiction = 0
    // The sender's own pairs do not know the network's waiting, but their clock may run wrong as well.
    if let reported = references.rate, abs(reported.slope) < SenderClock.greatestDrift {
      let variance = reported.uncertainty * reported.uncertainty + SenderClock.usualClock * SenderClock.usualClock
      let difference = abs(reported.slope - line.slope) - 3 * (variance + measured.variance).squareRoot()
      if difference <= 0 {
        estimate.join(Estimate(value: reported.slope, variance: variance))
      } else {
        slopeContradiction = difference
      }
    }
    estimate.join(measured)
    slope = max(-SenderClock.greatestDrift, min(SenderClock.greatestDrift, estimate.value))
    slopeSpread = estimate.variance.squareRoot()
  }

  /// What is known of a slope, and how certainly.
  private struct Estimate {
    var value: Double
    var variance: Double

    /// Takes another for the same, each by its certainty.
    mutating func join(_ other: Estimate) {
      let share = variance / (variance + other.variance)
      value += (other.value - value) * share
      variance *= 1 - share
    }
  }
}
