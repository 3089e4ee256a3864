/// A whole RTP packet whose header has been read and whose lengths are known to be right.
package struct RTPPacket: Sendable, Hashable {
  package let bytes: [UInt8]
  package let header: RTPHeader

  /// Takes the packet over without copying it; throws what `RTPHeader` throws.
  package init(parsing bytes: [UInt8]) throws(RTPError) {
    header = try RTPHeader(parsing: bytes.span)
    self.bytes = bytes
  }

  /// The payload without padding; empty in a packet that only fills a sequence number.
  package var payload: ArraySlice<UInt8> { bytes[header.payloadRange] }

  /// The data of the header extension element `id` (RFC 8285), nil where absent.
  package func extensionElement(_ id: UInt8) -> ArraySlice<UInt8>? {
    guard let range = header.extensionElement(id, in: bytes.span) else { return nil }
    return bytes[range]
  }

  /// The sender's own measure of loudness under the negotiated `id` (RFC 6464).
  package func audioLevel(_ id: UInt8) -> AudioLevel? {
    guard let byte = extensionElement(id)?.first else { return nil }
    return AudioLevel(byte: byte)
  }

  /// The capture time under the negotiated `id`.
  package func absoluteCaptureTime(_ id: UInt8) -> AbsoluteCaptureTime? {
    guard let range = header.extensionElement(id, in: bytes.span) else { return nil }
    return AbsoluteCaptureTime(parsing: bytes.span, at: range)
  }

  /// The media section's name under the negotiated `id` (RFC 9143 §15).
  package func mid(_ id: UInt8) -> String? {
    guard let element = extensionElement(id) else { return nil }
    return String(validating: element, as: UTF8.self)
  }

  /// The contributing sources (RFC 3550 §5.1).
  package var contributors: [UInt32] {
    let span = bytes.span
    return (0..<header.contributorCount).map { span.bigEndian32(at: RTPHeader.fixedLength &+ 4 &* $0) }
  }
}
