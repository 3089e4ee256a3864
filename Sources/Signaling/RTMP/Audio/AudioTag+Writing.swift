extension AudioTag {
  /// The first byte of every AAC message of the legacy form; its rate and channels mean nothing.
  private static let aac: UInt8 = 0xAF

  /// The body of the audio message for this track, or nil for a codec that only the legacy form has.
  ///
  /// AAC on track 0 goes in the legacy form, as FFmpeg sends it, so that every player reads it; all else in that of
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
    return bytes + data
  }
}
