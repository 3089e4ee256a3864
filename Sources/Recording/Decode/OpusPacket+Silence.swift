extension OpusPacket {
  /// An Opus packet as long as `payload` that decodes to silence; nil if `payload` is no Opus packet.
  ///
  /// It is made of CELT frames of two bytes, in which the encoder says "silence" (RFC 6716 section 4.3), and keeps the
  /// number of channels. A decoder that comes from sound fades out within some milliseconds.
  package static func silence(like payload: Span<UInt8>) -> [UInt8]? {
    guard let packet = OpusPacket(payload) else { return nil }
    // An announced silence stays one: packets may be missing behind it on purpose. A byte holds no sound.
    if packet.isDiscontinuous { return (0..<payload.count).map { payload[$0] } }
    // CELT frames have 2.5, 5, 10 or 20 ms; every duration of Opus is a multiple of one of them, and at most 48 frames.
    guard let size = [960, 480, 240, 120].firstIndex(where: { packet.duration.isMultiple(of: $0) }) else { return nil }
    let frames = packet.duration / (960 >> size)
    // Fullband CELT: configurations 28 (2.5 ms) to 31 (20 ms).
    let head = UInt8((31 - size) << 3) | (packet.isStereo ? 4 : 0)
    let frame: [UInt8] = [0xFF, 0xFE]
    if frames == 1 { return [head] + frame }
    // Code 3: any number of frames, here all of one size (RFC 6716 section 3.2.5).
    return [head | 3, UInt8(frames)] + Array(repeating: frame, count: frames).joined()
  }
}
