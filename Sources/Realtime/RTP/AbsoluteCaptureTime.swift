/// When the first sample of a packet was captured, on its sender's wall clock (the abs-capture-time extension).
///
/// Browsers send it once a second where negotiated; it lies exactly on the RTP clock, better than a sender report.
package struct AbsoluteCaptureTime: Hashable, Sendable {
  /// The short form of the element, without the offset, in bytes.
  static let shortLength = 8
  /// The long form, with the offset, in bytes.
  static let longLength = 16

  package var captured: NTPTime
  /// Signed Q32.32 seconds that the capturer's clock is ahead of the sender's, where the element says so.
  package var clockOffset: Int64?

  package init(captured: NTPTime, clockOffset: Int64? = nil) {
    self.captured = captured
    self.clockOffset = clockOffset
  }

  /// Reads the element; nil where it is shorter than its short form.
  init?(parsing bytes: Span<UInt8>, at range: Range<Int>) {
    guard range.count >= Self.shortLength, range.upperBound <= bytes.count else { return nil }
    captured = NTPTime(bits: bytes.bigEndian64(at: range.lowerBound))
    if range.count >= Self.longLength {
      clockOffset = Int64(bitPattern: bytes.bigEndian64(at: range.lowerBound &+ Self.shortLength))
    } else {
      clockOffset = nil
    }
  }

  /// The element's bytes: 8, or 16 with the offset.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.longLength)
    bytes.appendBigEndian64(captured.bits)
    if let clockOffset { bytes.appendBigEndian64(UInt64(bitPattern: clockOffset)) }
    return bytes
  }
}
