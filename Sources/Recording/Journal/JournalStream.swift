/// What was negotiated for a track's RTP stream: how to read its packets.
package struct JournalStream: Hashable, Sendable {
  /// RTP timestamp units per second, in Hz; 48,000 for Opus (RFC 7587 section 4.1).
  package var clockRate: Int
  /// The RTP payload type of Opus.
  package var opusPayloadType: UInt8
  /// The RTP payload type of redundant audio (RFC 2198), nil where none was negotiated.
  package var redPayloadType: UInt8?
  /// The header extension id of the audio level (RFC 6464), nil where none was negotiated.
  package var audioLevelExtension: UInt8?
  /// The header extension id of the absolute capture time, nil where none was negotiated.
  package var absoluteCaptureTimeExtension: UInt8?
  /// Whether the sender said that it sends stereo (`sprop-stereo`, RFC 7587 section 6.1), nil where it said nothing.
  package var isStereo: Bool?

  package init(
    clockRate: Int = 48_000, opusPayloadType: UInt8, redPayloadType: UInt8? = nil, audioLevelExtension: UInt8? = nil,
    absoluteCaptureTimeExtension: UInt8? = nil, isStereo: Bool? = nil
  ) {
    self.clockRate = clockRate
    self.opusPayloadType = opusPayloadType
    self.redPayloadType = redPayloadType
    self.audioLevelExtension = audioLevelExtension
    self.absoluteCaptureTimeExtension = absoluteCaptureTimeExtension
    self.isStereo = isStereo
  }
}
