/// One track's part of an audio message, of the legacy form or of Enhanced RTMP v2.
package struct AudioTag: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    /// What a decoder needs first: OpusHead, an AudioSpecificConfig, FLAC's STREAMINFO. May come again, then with the
    /// same bytes (nothing new), with others (a new segment), or, for FLAC at the end, with the final totals.
    case header([UInt8])
    /// One packet, access unit or frame; of the PCM kinds any number of samples.
    case frame([UInt8])
    case channels(AudioChannels)
    /// The sequence ended, or there is silence.
    case end
  }

  /// How samples of the legacy form are laid out; means nothing for AAC.
  package struct Layout: Hashable, Sendable {
    /// Hz: 5512, 11025, 22050 or 44100.
    package let rate: Int
    package let bits: Int
    package let channels: Int
  }

  /// Nil for an empty message, which is silence.
  package var codec: AudioCodec?
  /// 0 but for messages of more tracks.
  package var track: UInt8
  /// To be added to the message's timestamp, in nanoseconds from 0 to 999,999.
  package var nanoseconds: UInt32
  package var content: Content
  /// Of the legacy form only.
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
