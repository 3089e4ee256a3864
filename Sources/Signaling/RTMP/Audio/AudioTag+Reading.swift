extension AudioTag {
  /// The format number that says Enhanced RTMP.
  static let enhanced: UInt8 = 9
  /// The legacy form's rates in Hz, by the two bits of the first byte.
  private static let rates = [5_512, 11_025, 22_050, 44_100]
  private static let aacHeader: UInt8 = 0
  private static let aacFrame: UInt8 = 1

  /// The tracks of an audio message; what is of an unknown codec or packet type is left out.
  ///
  /// Throws a sentence for a message that ends too early; it is to be dropped, the stream goes on.
  package static func tags(in body: [UInt8]) throws(RTMPViolation) -> [AudioTag] {
    var reader = ByteReader(body)
    guard let first = reader.u8() else { return [AudioTag(nil, .end)] }
    if first >> 4 == enhanced { return try EnhancedAudio.tags(first & 0x0F, &reader) }
    guard let codec = AudioCodec(legacyFormat: first >> 4) else { return [] }
    guard codec == .aac else {
      let layout = Layout(
        rate: rates[Int(first >> 2 & 3)], bits: first & 2 == 0 ? 8 : 16, channels: first & 1 == 0 ? 1 : 2)
      return [AudioTag(codec, .frame(reader.rest()), layout: layout)]
    }
    guard let kind = reader.u8() else { throw RTMPViolation("an AAC message ends behind its first byte") }
    switch kind {
    case aacHeader: return [AudioTag(.aac, .header(reader.rest()))]
    case aacFrame: return [AudioTag(.aac, .frame(withoutADTS(reader.rest())))]
    default: return []
    }
  }

  /// Some encoders send the header of a file's frame by mistake: 7 bytes, or 9 with a check sum.
  private static func withoutADTS(_ frame: [UInt8]) -> [UInt8] {
    guard frame.count >= 7, frame[0] == 0xFF, frame[1] & 0xF6 == 0xF0 else { return frame }
    return Array(frame.dropFirst(frame[1] & 1 == 1 ? 7 : 9))
  }
}
