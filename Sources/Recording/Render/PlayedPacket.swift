/// A packet that was decoded, and where its first sample lies: what an examination compares instead of sound.
struct PlayedPacket: Hashable, Sendable {
  /// SSRC.
  var source: UInt32
  var sequence: UInt16
  /// The time line's sample.
  var place: Int64
}
