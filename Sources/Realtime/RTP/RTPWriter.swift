/// Writes RTP packets (RFC 3550 §5.1, RFC 8285), each with one allocation.
package struct RTPWriter: Sendable, Hashable {
  package var payloadType: UInt8
  package var marker: Bool
  package var sequenceNumber: UInt16
  package var timestamp: UInt32
  package var ssrc: UInt32

  /// The fixed fields; a payload type beyond 127 keeps its low seven bits.
  package init(payloadType: UInt8, marker: Bool = false, sequenceNumber: UInt16, timestamp: UInt32, ssrc: UInt32) {
    self.payloadType = payloadType & 0x7F
    self.marker = marker
    self.sequenceNumber = sequenceNumber
    self.timestamp = timestamp
    self.ssrc = ssrc
  }

  /// A whole packet; elements with id 0 are left out, because 0 means padding.
  package func packet(extensions: [RTPHeaderExtension] = [], payload: some Collection<UInt8>) -> [UInt8] {
    let elements = ExtensionArea(extensions)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(RTPHeader.fixedLength &+ elements.length &+ payload.count)
    appendFixedPart(to: &bytes, hasExtension: elements.length > 0)
    elements.append(extensions, to: &bytes)
    bytes.append(contentsOf: payload)
    return bytes
  }

  /// The twelve bytes that every packet begins with, without contributing sources and padding.
  func appendFixedPart(to bytes: inout [UInt8], hasExtension: Bool) {
    bytes.append(hasExtension ? 0x90 : 0x80)
    bytes.append(payloadType | (marker ? 0x80 : 0))
    bytes.appendBigEndian16(sequenceNumber)
    bytes.appendBigEndian32(timestamp)
    bytes.appendBigEndian32(ssrc)
  }
}
