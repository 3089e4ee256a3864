import Realtime
import Recording

extension ReceivedPacket {
  /// The same packet with silence for its sound: number, time and header extensions stay, so that nothing looks lost.
  ///
  /// - Parameter source: how to read the packet; without it, and for packets without Opus, the payload is empty.
  /// - Returns: nil if the result were unreadable, so that no sound slips through.
  func silenced(as source: Forwarder.Source?) -> ReceivedPacket? {
    var silent = self
    var bytes = Array(packet.bytes.prefix(packet.header.payloadRange.lowerBound))
    // Without padding. The length of the header says that both bytes are there.
    bytes[0] &= 0b1101_1111
    if let source {
      // RED becomes plain Opus: its older frames have to be silent too.
      bytes[1] = bytes[1] & 0x80 | source.opusPayloadType
      if let id = source.extensions.audioLevel, let level = packet.header.extensionElement(id, in: packet.bytes.span) {
        // No voice, and 127 dB below full scale (RFC 6464 section 3).
        for index in level.prefix(1) where bytes.indices.contains(index) { bytes[index] = 127 }
      }
      bytes += OpusPacket.silence(like: Array(source.opusPayload(of: packet)).span) ?? []
    }
    guard let packet = try? RTPPacket(parsing: bytes) else { return nil }
    silent.packet = packet
    return silent
  }
}
