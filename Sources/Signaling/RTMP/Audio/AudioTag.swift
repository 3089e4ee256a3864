/// One track's part of an audio message in the legacy form or Enhanced RTMP v2.
package struct AudioTag: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    /// The decoder's configuration: OpusHead, an AudioSpecificConfig, FLAC's STREAMINFO. It may be repeated:
    /// unchanged, changed for a new segment or, at the end of FLAC, with the final totals.
    case header([UInt8])
    /// One packet, access unit or frame; for PCM, any number of samples.
    case frame([UInt8])
    case channels(AudioChannels)
    /// The sequence has ended, or there is silence.
    case end
  }

  /// The sample layout in the legacy form; meaningless for AAC.
  package struct Layout: Hashable, Sendable {
    /// Hz: 5512, 11025, 22050 or 44100.
    package let rate: Int
    package let bits: Int
    package let channels: Int
  }

  /// Nil for an empty message, which is silence.
  package var codec: AudioCodec?
  /// 0, except in multitrack messages.
  package var track: UInt8
  /// Added to the message's timestamp; 0 to 999,999 nanoseconds.
  package var nanoseconds: UInt32
  package var content: Content
  /// Only in the legacy form.
  package var layout: Layout?

  package init(
    _ codec: AudioCodec?, _ content: Content, track: UInt8 = 0, nanoseconds: UInt32 = 0, layout: Layout? = nil
  ) {
    self.codec = codec
    self.content = content
    self.track = track
    self.nanoseconds = nanoseconds
    self.layout = layout
  }
}

extension AudioTag {
  /// The format number that marks Enhanced RTMP.
  static let enhanced: UInt8 = 9
  /// The sample rates of the legacy form in Hz, indexed by two bits of the first byte.
  private static let rates = [5_512, 11_025, 22_050, 44_100]
  private static let aacHeader: UInt8 = 0
  private static let aacFrame: UInt8 = 1

  /// Parses the tracks of an audio message; unknown codecs and packet types are skipped.
  ///
  /// Throws a sentence for a truncated message, which should be dropped without ending the stream.
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
    guard let kind = reader.u8() else { throw RTMPViolation("an AAC message ends after its first byte") }
    switch kind {
    case aacHeader: return [AudioTag(.aac, .header(reader.rest()))]
    case aacFrame: return [AudioTag(.aac, .frame(withoutADTS(reader.rest())))]
    default: return []
    }
  }

  /// Removes the ADTS header (7 bytes, or 9 with a checksum) that some encoders send by mistake.
  private static func withoutADTS(_ frame: [UInt8]) -> [UInt8] {
    guard frame.count >= 7, frame[0] == 0xFF, frame[1] & 0xF6 == 0xF0 else { return frame }
    return Array(frame.dropFirst(frame[1] & 1 == 1 ? 7 : 9))
  }
}

extension AudioTag {
  /// The first byte of every AAC message in the legacy form; its rate and channels are meaningless.
  private static let aac: UInt8 = 0xAF

  /// The body of the audio message for this track; nil for a codec that only exists in the legacy form.
  ///
  /// AAC on track 0 uses the legacy form, as in FFmpeg, so that every player can read it; everything else uses
  /// Enhanced RTMP v2. An end without a codec would be an empty message, which is never sent.
  package var body: [UInt8]? {
    guard let codec, let fourCC = codec.fourCC else { return nil }
    if codec == .aac, track == 0, nanoseconds == 0 {
      switch content {
      case .header(let config): return [AudioTag.aac, 0] + config
      case .frame(let frame): return [AudioTag.aac, 1] + frame
      case .channels, .end: break
      }
    }
    let type: UInt8
    let data: [UInt8]
    switch content {
    case .header(let header): (type, data) = (AudioPacketType.header, header)
    case .frame(let frame): (type, data) = (AudioPacketType.frame, frame)
    case .channels(let channels): (type, data) = (AudioPacketType.channels, channels.bytes)
    case .end: (type, data) = (AudioPacketType.end, [])
    }
    let real = track == 0 ? type : AudioPacketType.multitrack
    var bytes: [UInt8] = []
    if nanoseconds > 0 {
      bytes.append(AudioTag.enhanced << 4 | AudioPacketType.modifiers)
      bytes.append(2)
      bytes.append(min(nanoseconds, 999_999), octets: 3)
      bytes.append(real)
    } else {
      bytes.append(AudioTag.enhanced << 4 | real)
    }
    if track != 0 { bytes.append(type) }
    bytes.append(contentsOf: fourCC.utf8)
    if track != 0 { bytes.append(track) }
    // in range: a list
    return bytes + data
  }
}
