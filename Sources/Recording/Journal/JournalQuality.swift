import Machines
import Music

/// The body of a frame of quality: numbers of four bytes, all ones for "none".
///
/// Duration in milliseconds, round trip and jitter in microseconds; packets expected, missed and lost; concealed
/// samples; power in tenths of a dB. Then one byte, and if that is 1, of what the client hears: round trip, jitter,
/// received, lost, concealed, power.
extension JournalSink {
  mutating func append(_ reading: QualityReading) {
    append(thousandths: reading.duration)
    append(thousandths: reading.roundTrip)
    append(thousandths: reading.jitter)
    append(count: Double(reading.expected))
    append(count: Double(reading.missed))
    append(count: Double(reading.lost))
    append(count: Double(reading.concealed))
    append(power: reading.dbfs)
    append(UInt8(reading.heard == nil ? 0 : 1))
    guard let heard = reading.heard else { return }
    append(thousandths: heard.roundTrip)
    append(thousandths: heard.jitter)
    append(count: heard.received.map(Double.init))
    append(count: heard.lost.map(Double.init))
    append(count: heard.concealed.map(Double.init))
    append(power: heard.dbfs)
  }

  // in range: floating-point
  private mutating func append(thousandths value: Double?) { append(count: value.map { $0 * 1_000 }) }

  private mutating func append(count: Double?) {
    guard let count, count.isFinite else { return append(JournalSink.none) }
    append(min(UInt32(clamping: Int64(saturating: max(0, count.rounded()))), JournalSink.none &- 1))
  }

  private mutating func append(power: Double?) {
    guard let power, power.isFinite else { return append(Int32.min) }
    append(Int32(clamping: Int64(saturating: min(max(-10_000, (power * 10).rounded()), 10_000))))
  }

  fileprivate static let none = UInt32.max
}

extension JournalBody {
  mutating func quality() throws(Malformed) -> QualityReading {
    let duration = try thousandths() ?? 0
    let (roundTrip, jitter) = (try thousandths(), try thousandths())
    let (expected, missed, lost) = (try count() ?? 0, try count() ?? 0, try count() ?? 0)
    let concealed = try count() ?? 0
    var reading = QualityReading(
      duration: duration, roundTrip: roundTrip, jitter: jitter, expected: expected, missed: missed, lost: lost,
      concealed: concealed, dbfs: try power())
    guard try number(UInt8.self) != 0 else { return reading }
    let (trip, uneven) = (try thousandths(), try thousandths())
    let (received, gone, invented) = (try count(), try count(), try count())
    reading.heard = HeardQuality(
      roundTrip: trip, jitter: uneven, received: received, lost: gone, concealed: invented, dbfs: try power())
    return reading
  }

  private mutating func count() throws(Malformed) -> Int? {
    let value = try number(UInt32.self)
    return value == JournalSink.none ? nil : Int(value)
  }

  /// Milliseconds from microseconds, seconds from milliseconds.
  private mutating func thousandths() throws(Malformed) -> Double? { try count().map { Double($0) / 1_000 } }

  private mutating func power() throws(Malformed) -> Double? {
    let value = try number(Int32.self)
    return value == .min ? nil : Double(value) / 10
  }
}
