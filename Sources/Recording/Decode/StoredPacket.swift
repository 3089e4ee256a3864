/// An Opus packet that waits for its turn.
struct StoredPacket: Sendable {
  /// Extended sequence number.
  var sequence: Int64
  /// RTP time in samples from the stream's first packet.
  var timestamp: Int64
  /// The Opus bytes; empty for padding, which only fills its sequence number.
  var payload: ArraySlice<UInt8>
  /// What its head says, nil for padding and for what is no Opus.
  var opus: OpusPacket?
  /// True when it came by a later packet's redundancy and not by itself.
  var isRedundant: Bool

  /// Samples that it decodes to.
  var duration: Int64 { Int64(opus?.duration ?? 0) }
}
