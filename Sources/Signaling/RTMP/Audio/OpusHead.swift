/// The configuration of an Opus stream (RFC 7845 section 5.1).
package struct OpusHead: Hashable, Sendable {
  /// Channels after decoding.
  package var channels: Int
  /// Samples at 48 kHz that the encoder put before its first input sample.
  package var preSkip: Int
  /// How channels map to streams: 0 is mono or stereo, 1 Vorbis' order, 2 and 3 are ambisonics, 255 anything.
  package var family: Int
  /// Opus streams within each packet; those behind the first cannot be read without the mapping.
  package var streams: Int

  private static let magic = Array("OpusHead".utf8)
  /// Bytes of a head of family 0, and of the fields before the mapping of the others.
  private static let length = 19
  private static let mappedLength = 21

  /// Nil if the bytes are not an OpusHead.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= OpusHead.length, bytes.starts(with: OpusHead.magic) else { return nil }
    channels = Int(bytes[9])
    preSkip = Int(bytes[10]) | Int(bytes[11]) << 8
    family = Int(bytes[18])
    streams = 1
    guard channels > 0 else { return nil }
    if family == 0 {
      guard channels <= 2 else { return nil }
      return
    }
    guard bytes.count >= OpusHead.mappedLength &+ channels else { return nil }
    streams = Int(bytes[19])
  }

  /// Why the stream cannot be recorded, nil if it can: a musician's packets hold one stream of one or two channels.
  package var refusal: String? {
    guard channels > 2 || streams != 1 else { return nil }
    return OpusHead.refusal(channels: channels)
  }

  /// The refusal of a stream with so many channels.
  package static func refusal(channels: Int) -> String {
    let name = channels == 6 ? "5.1 Opus" : channels == 8 ? "7.1 Opus" : "Opus with \(channels) channels"
    return channels > 2
      ? "\(name) is not recorded; send stereo"
      : "Opus with \(channels) channels in more than one stream is not recorded; send mono or stereo of mapping family 0"
  }
}
