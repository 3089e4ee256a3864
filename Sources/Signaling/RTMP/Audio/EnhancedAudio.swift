/// Audio messages of Enhanced RTMP v2: modifiers, followed by one or several tracks.
enum EnhancedAudio {
  /// Maximum number of modifiers before the actual packet type.
  private static let maximumModifiers = 8
  private static let maximumNanoseconds: UInt32 = 999_999
  private static let nanosecondOffset: UInt8 = 0
  private static let codecLength = 4

  /// Parses the rest after the first byte, whose low nibble is `type`.
  static func tags(_ type: UInt8, _ reader: inout ByteReader) throws(RTMPViolation) -> [AudioTag] {
    var type = type
    var nanoseconds: UInt32 = 0
    var modifiers = 0
    while type == AudioPacketType.modifiers {
      modifiers += 1
      guard modifiers <= maximumModifiers else {
        throw RTMPViolation("an audio message has more than \(maximumModifiers) modifiers")
      }
      guard var data = modifier(&reader), let next = reader.u8() else { throw truncated("a modifier") }
      if next >> 4 == nanosecondOffset, let offset = data.u24() { nanoseconds = min(offset, maximumNanoseconds) }
      type = next & 0x0F
    }
    if type == AudioPacketType.multitrack { return try tracks(&reader, nanoseconds) }
    guard let fourCC = reader.take(codecLength) else { throw truncated("its codec") }
    guard let codec = AudioCodec(fourCC: fourCC), let content = try content(type, &reader) else { return [] }
    return [AudioTag(codec, content, nanoseconds: nanoseconds)]
  }

  /// A modifier's data: a length of one byte, or of two if the first is 255.
  private static func modifier(_ reader: inout ByteReader) -> ByteReader? {
    guard let short = reader.u8() else { return nil }
    // in range: a byte
    guard short == .max else { return reader.part(Int(short) + 1) }
    guard let long = reader.u16() else { return nil }
    // in range: 16 bits
    return reader.part(long + 1)
  }

  private static func tracks(
    _ reader: inout ByteReader, _ nanoseconds: UInt32
  ) throws(RTMPViolation) -> [AudioTag] {
    guard let head = reader.u8() else { throw truncated("its track kind") }
    let (kind, type) = (head >> 4, head & 0x0F)
    guard kind <= 2, type != AudioPacketType.multitrack else { return [] }
    var shared: ArraySlice<UInt8>?
    if kind < 2 {
      shared = reader.take(codecLength)
      guard shared != nil else { throw truncated("its codec") }
    }
    var tags: [AudioTag] = []
    repeat {
      guard let fourCC = shared ?? reader.take(codecLength) else { throw truncated("a track's codec") }
      guard let track = reader.u8() else { throw truncated("a track's number") }
      var size = reader.remaining
      if kind > 0 {
        guard let given = reader.u24() else { throw truncated("a track's size") }
        size = Int(given)
      }
      guard var body = reader.part(size) else { throw truncated("track \(track)") }
      if let codec = AudioCodec(fourCC: fourCC), let content = try content(type, &body) {
        tags.append(AudioTag(codec, content, track: track, nanoseconds: nanoseconds))
      }
    } while reader.remaining > 0
    return tags
  }

  /// Nil for an unknown packet type.
  private static func content(
    _ type: UInt8, _ reader: inout ByteReader
  ) throws(RTMPViolation) -> AudioTag.Content? {
    switch type {
    case AudioPacketType.header: return .header(reader.rest())
    case AudioPacketType.frame: return .frame(reader.rest())
    case AudioPacketType.end: return .end
    case AudioPacketType.channels:
      guard let channels = AudioChannels(&reader) else { throw truncated("its channels") }
      return .channels(channels)
    default: return nil
    }
  }

  private static func truncated(_ part: String) -> RTMPViolation {
    RTMPViolation("an audio message ends within \(part)")
  }
}

/// The low nibble of the first byte in an Enhanced RTMP v2 audio message.
enum AudioPacketType {
  static let header: UInt8 = 0
  static let frame: UInt8 = 1
  static let end: UInt8 = 2
  static let channels: UInt8 = 4
  static let multitrack: UInt8 = 5
  /// Modifiers come first, then the actual type.
  static let modifiers: UInt8 = 7
}
