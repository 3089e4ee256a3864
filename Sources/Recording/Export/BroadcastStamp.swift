import CSndFile
import Music

/// The date and time at which a file begins, for the `bext` chunk of broadcast WAV (EBU Tech 3285).
///
/// The time reference counts from the midnight (UTC) before the take's zero. All files of a take therefore line up
/// exactly, whatever each begins with and even across midnight.
package struct BroadcastStamp: Hashable, Sendable {
  /// Date of the file's first sample, "2026-11-21" in UTC.
  package var date: String
  /// Time of the file's first sample, "06:59:03" in UTC.
  package var time: String
  /// Position of the file's first sample, counted from midnight at the file's own rate.
  package var timeReference: UInt64
  /// Up to 32 bytes.
  package var originator: String
  /// Up to 256 bytes.
  package var text: String
  /// Integrated loudness in LUFS; nil if it is unknown or cannot be measured.
  package var loudness: Double?
  /// Highest true peak in dBTP; nil if it is unknown.
  package var truePeak: Double?

  /// The value of a loudness field that is not used (EBU Tech 3285 version 2, section 2.3).
  static let unused: Int16 = 0x7FFF

  /// - Parameters:
  ///   - zero: wall time of the take's zero.
  ///   - start: position on the take's time line at which the file begins; may be negative.
  ///   - rate: sample rate of the file, in Hz.
  package init(
    zero: WallTime, start: SamplePosition, rate: Int = Int(SamplePosition.rate), originator: String, text: String
  ) {
    let seconds = max(-86_400, min(start.seconds, 1e9))
    let description = (zero + .nanoseconds(Int64((seconds * 1e9).rounded()))).description
    date = String(description.prefix(10))
    time = String(description.dropFirst(11).prefix(8))
    // Rounded to samples of the time line first, so that two files of a take differ by exactly their starts.
    let line = Double(SamplePosition.rate)
    var samples = (Double(zero.nanosecondsOfDay) / 1e9 * line).rounded() + (seconds * line).rounded()
    if samples < 0 { samples += 86_400 * line }
    timeReference = UInt64(max(0, (samples * Double(rate) / line).rounded()))
    self.originator = originator
    self.text = text
  }

  /// Passes the stamp to libsndfile; false if the format has no field for it. A stamp may be replaced after samples
  /// were written, by one with texts of the same length.
  func apply(to handle: OpaquePointer) -> Bool {
    var chunk = SF_BROADCAST_INFO()
    func copy(_ text: String, into field: UnsafeMutableRawBufferPointer) {
      field.copyBytes(from: Array(text.utf8).prefix(field.count))
    }
    withUnsafeMutableBytes(of: &chunk.description) { copy(BroadcastStamp.cut(text, to: $0.count), into: $0) }
    withUnsafeMutableBytes(of: &chunk.originator) { copy(BroadcastStamp.cut(originator, to: $0.count), into: $0) }
    withUnsafeMutableBytes(of: &chunk.origination_date) { copy(date, into: $0) }
    withUnsafeMutableBytes(of: &chunk.origination_time) { copy(time, into: $0) }
    chunk.time_reference_low = UInt32(truncatingIfNeeded: timeReference)
    chunk.time_reference_high = UInt32(truncatingIfNeeded: timeReference >> 32)
    // libsndfile writes version 2 whatever is said here, so every field of it needs a value: 0 would be 0 LUFS.
    chunk.version = 2
    chunk.loudness_value = BroadcastStamp.hundredths(loudness)
    chunk.loudness_range = BroadcastStamp.unused
    chunk.max_true_peak_level = BroadcastStamp.hundredths(truePeak)
    chunk.max_momentary_loudness = BroadcastStamp.unused
    chunk.max_shortterm_loudness = BroadcastStamp.unused
    return sf_command(
      handle, Int32(SFC_SET_BROADCAST_INFO), &chunk, Int32(MemoryLayout<SF_BROADCAST_INFO>.size)) == SF_TRUE
  }

  /// A level as the chunk holds it, in hundredths; values outside -99.99…99.99 are not permitted there.
  static func hundredths(_ level: Double?) -> Int16 {
    guard let level, abs(level) <= 99.99 else { return unused }
    return Int16((level * 100).rounded())
  }

  /// The longest prefix of whole characters that fits `limit` bytes.
  private static func cut(_ text: String, to limit: Int) -> String {
    var kept = text
    while kept.utf8.count > limit { kept.removeLast() }
    return kept
  }
}
