import Foundation
import Machines
import Music
import Realtime

/// Measures one publication from the counters that its connection keeps anyway: a few additions per packet, and one
/// look at the counters per second.
struct QualityMeter {
  /// Between two looks at the counters: of the jitter, the greatest counts.
  static let look = MonotonicTime.Span.seconds(1)
  static let interval = MonotonicTime.Span.seconds(3)
  /// A shorter stretch, at the end of a take, says nothing.
  private static let least = MonotonicTime.Span.milliseconds(500)
  /// The power of each level of RFC 6464 section 3, relative to full scale; the last, digital silence, has none.
  private static let powers = (0..<128).map { $0 == 127 ? 0 : pow(10, -Double($0) / 10) }

  /// The counters at the last reading.
  private var base: PeerStatistics
  private var since: MonotonicTime
  private var looked: MonotonicTime
  private var jitter = MonotonicTime.Span.zero
  private var power = 0.0
  private var levels = 0
  /// What the counters were when a take began, for takes that began since the last reading.
  private var beginnings: [TakeID: Beginning] = [:]
  /// The last reading as far as it belongs to these takes; none if that is too short to say anything.
  private var parts: [TakeID: QualityReading?] = [:]

  private struct Beginning {
    var counters: PeerStatistics
    var at: MonotonicTime
    var power: Double
    var levels: Int
  }

  /// A take that begins so soon after a reading, or with the first packet, has the next reading as a whole.
  private static let seam = MonotonicTime.Span.milliseconds(100)

  init(_ counters: PeerStatistics?, at now: MonotonicTime) {
    base = counters ?? PeerStatistics()
    (since, looked) = (now, now)
  }

  /// The first packet has arrived: what was before is no silence of the musician.
  mutating func begin(at now: MonotonicTime) { (since, looked) = (now, now) }

  /// Takes a packet's level in dB below full scale.
  mutating func note(level: UInt8) {
    power += QualityMeter.powers[Int(min(level, 127))]
    // in range: packets in three seconds
    levels += 1
  }

  /// A take begins: what was before is not its own.
  mutating func begin(_ take: TakeID, _ counters: PeerStatistics?, at now: MonotonicTime) {
    guard now - since >= QualityMeter.seam else { return }
    beginnings[take] = Beginning(counters: counters ?? PeerStatistics(), at: now, power: power, levels: levels)
  }

  /// A reading that `advance` has returned, as far as it belongs to a take; nil if that is too short to say anything.
  func part(of reading: QualityReading, in take: TakeID) -> QualityReading? { parts[take] ?? reading }

  func isDue(at now: MonotonicTime) -> Bool { now - looked >= QualityMeter.look }

  /// Looks at the counters; returns a reading, and begins the next one, when it is time.
  mutating func advance(
    to now: MonotonicTime, _ counters: PeerStatistics?, hasJitter: Bool, heard: HeardQuality?
  ) -> QualityReading? {
    looked = now
    let counters = counters ?? PeerStatistics()
    if hasJitter { jitter = max(jitter, counters.jitter) }
    guard now - since >= QualityMeter.interval else { return nil }
    let reading = self.reading(of: counters, hasJitter: hasJitter, heard: heard, at: now)
    parts = beginnings.mapValues { part(since: $0, counters, hasJitter: hasJitter, heard: heard, at: now) }
    beginnings = [:]
    (base, since) = (counters, now)
    (jitter, power, levels) = (.zero, 0, 0)
    return reading
  }

  /// What a reading would say now of a take; nil if the last one, or the take's beginning, was a moment ago.
  func rest(
    of take: TakeID, _ counters: PeerStatistics?, hasJitter: Bool, heard: HeardQuality?, at now: MonotonicTime
  ) -> QualityReading? {
    let counters = counters ?? PeerStatistics()
    if let beginning = beginnings[take] {
      return part(since: beginning, counters, hasJitter: hasJitter, heard: heard, at: now)
    }
    guard now - since >= QualityMeter.least else { return nil }
    return reading(of: counters, hasJitter: hasJitter, heard: heard, at: now)
  }

  private func part(
    since beginning: Beginning, _ counters: PeerStatistics, hasJitter: Bool, heard: HeardQuality?, at now: MonotonicTime
  ) -> QualityReading? {
    guard now - beginning.at >= QualityMeter.least else { return nil }
    var meter = self
    (meter.base, meter.since) = (beginning.counters, beginning.at)
    // in range: both only grow until the next reading
    (meter.power, meter.levels) = (power - beginning.power, levels - beginning.levels)
    return meter.reading(of: counters, hasJitter: hasJitter, heard: heard, at: now)
  }

  private func reading(
    of counters: PeerStatistics, hasJitter: Bool, heard: HeardQuality?, at now: MonotonicTime
  ) -> QualityReading {
    let duration = (now - since).seconds
    // A packet that a retransmission brings has been missed; of a hole that was open at the last reading, both counters
    // change, so that none counts twice.
    let lost = counters.lost &- base.lost
    let expected = max(0, counters.receivedPackets &- base.receivedPackets &+ lost)
    let missed = min(expected, max(0, lost &+ counters.repaired &- base.repaired))
    let gone = min(missed, max(0, lost))
    let share = expected > 0 ? Double(gone) / Double(expected) : 1
    return QualityReading(
      duration: QualityMeter.rounded(duration, 1_000),
      roundTrip: counters.roundTrip.map { QualityMeter.rounded($0.milliseconds, 100) },
      jitter: hasJitter && expected > 0 ? QualityMeter.rounded(max(jitter, counters.jitter).milliseconds, 100) : nil,
      expected: Int(clamping: expected), missed: Int(clamping: missed), lost: Int(clamping: gone),
      concealed: Int(saturating: (share * duration * Double(SamplePosition.rate)).rounded()),
      dbfs: levels > 0 ? QualityMeter.decibels(power / Double(levels)) : nil, heard: heard)
  }

  /// To a part of 1: more digits would only make messages longer.
  private static func rounded(_ value: Double, _ parts: Double) -> Double { (value * parts).rounded() / parts }

  /// At least the lowest level that can be said.
  private static func decibels(_ power: Double) -> Double {
    power > 0 ? rounded(max(-127, 10 * log10(power)), 10) : -127
  }
}
