// Arithmetic in this file is in range: a count of six bits times at most 2,880 samples.

/// The header of an Opus packet (RFC 6716 section 3), parsed without decoding.
package struct OpusPacket: Hashable, Sendable, Codable {
  /// Samples per channel at 48 kHz that the packet decodes to, 120 to 5760.
  package var duration: Int
  /// Samples per channel at 48 kHz of each of its frames.
  var frameDuration: Int
  /// True when the packet was encoded with two channels.
  var isStereo: Bool
  /// True if it repeats the frame before it at a lower rate (low bit-rate redundancy, "in-band FEC").
  var hasForwardErrorCorrection: Bool
  /// True if it announces silence: one or two bytes, as encoders with DTX send (RFC 6716 section 2.1.9).
  var isDiscontinuous: Bool

  /// Longest packet that Opus allows, in samples at 48 kHz: 120 ms (RFC 6716 section 3.2.5).
  package static let longest = 5760
  /// The encoder's delay at 48 kHz: 6.5 ms by which the decoder's output lags behind capture.
  static let encoderLookahead = 312

  /// Parses the header of `bytes`; nil if they are not an Opus packet.
  package init?(_ bytes: Span<UInt8>) {
    guard bytes.count >= 1 else { return nil }
    let first = bytes[0]
    let configuration = Int(first >> 3)
    isStereo = first & 4 != 0
    frameDuration = OpusPacket.frameDuration(ofConfiguration: configuration)
    let frames: Int
    switch first & 3 {
    case 0: frames = 1
    case 1, 2: frames = 2
    default:
      guard bytes.count >= 2 else { return nil }
      frames = Int(bytes[1] & 0x3F)
    }
    duration = frames * frameDuration
    guard frames > 0, duration <= OpusPacket.longest else { return nil }
    isDiscontinuous = bytes.count <= 2
    hasForwardErrorCorrection = OpusPacket.hasRedundancy(bytes, configuration: configuration, isStereo: isStereo)
  }

  /// Table 2 of RFC 6716, in samples at 48 kHz.
  private static func frameDuration(ofConfiguration configuration: Int) -> Int {
    switch configuration {
    case 0..<12: [480, 960, 1920, 2880][configuration & 3]  // SILK: 10, 20, 40, 60 ms
    case 12..<16: [480, 960][configuration & 1]  // hybrid: 10, 20 ms
    default: [120, 240, 480, 960][configuration & 3]  // CELT: 2.5, 5, 10, 20 ms
    }
  }

  /// True if the first frame has its LBRR flag set, which follows the voice-activity flags in the frame's first byte
  /// (RFC 6716 section 4.2.4). Only SILK and hybrid frames have one.
  private static func hasRedundancy(_ bytes: Span<UInt8>, configuration: Int, isStereo: Bool) -> Bool {
    guard configuration < 16 else { return false }
    let offset: Int
    switch bytes[0] & 3 {
    case 0, 1: offset = 1
    case 2:
      // Code 2 begins with the length of the first frame, in one or two bytes (RFC 6716 section 3.2.1).
      guard bytes.count > 1 else { return false }
      offset = bytes[1] >= 252 ? 3 : 2
    default: return false  // Code 3: three and more frames are rare, and the length fields would have to be walked.
    }
    guard bytes.count > offset else { return false }
    let samples = OpusPacket.frameDuration(ofConfiguration: configuration)
    let silkFrames = max(1, samples / 960)
    let head = bytes[offset]
    let middle = head >> UInt8(7 - silkFrames) & 1
    let side = isStereo ? head >> UInt8(6 - 2 * silkFrames) & 1 : 0
    return middle | side != 0
  }
}
