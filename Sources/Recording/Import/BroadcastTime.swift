import CSndFile
import Music

/// When a broadcast WAV file says that it begins (`bext` chunk, EBU Tech 3285).
package struct BroadcastTime: Hashable, Sendable {
  /// "2026-11-21"; nil if the file has no date.
  package var date: String?
  /// "06:59:03"; nil if the file has no time.
  package var time: String?
  /// Frames of the file from midnight, or from another zero of the recorder's.
  package var reference: UInt64

  /// Longest plausible reference: a week. Damaged files have any number.
  private static let longest = 7.0 * 86_400

  /// Seconds from the recorder's zero; nil if that is impossible.
  func seconds(rate: Int) -> Double? {
    let seconds = Double(reference) / Double(max(1, rate))
    return seconds <= BroadcastTime.longest ? seconds : nil
  }

  /// Date and time as RFC 3339 without a zone, "2026-11-21T06:59:03"; recorders mean their local time.
  package var local: String? { date.map { "\($0)T\(time ?? "00:00:00")" } }
}

extension SoundFileReader {
  /// The time stamp of a broadcast WAV file; nil for others.
  package var broadcastTime: BroadcastTime? {
    guard let chunk = broadcastInfo else { return nil }
    let date = withUnsafeBytes(of: chunk.origination_date) { SoundFileReader.digits($0, [4, 2, 2], between: "-") }
    let time = withUnsafeBytes(of: chunk.origination_time) { SoundFileReader.digits($0, [2, 2, 2], between: ":") }
    return BroadcastTime(
      date: date, time: time,
      reference: UInt64(chunk.time_reference_high) << 32 | UInt64(chunk.time_reference_low))
  }

  /// Groups of digits, between which EBU Tech 3285 permits several signs; nil for anything else and for zeros alone.
  private static func digits(_ bytes: UnsafeRawBufferPointer, _ lengths: [Int], between sign: String) -> String? {
    let groups = bytes.split(maxSplits: lengths.count, omittingEmptySubsequences: false) { !(0x30...0x39).contains($0) }
      .prefix(lengths.count)
    guard groups.map(\.count) == lengths, bytes.contains(where: { (0x31...0x39).contains($0) }) || sign == ":" else {
      return nil
    }
    return groups.map { String(decoding: $0, as: UTF8.self) }.joined(separator: sign)
  }
}
