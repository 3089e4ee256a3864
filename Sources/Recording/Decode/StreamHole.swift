/// A stretch of a stream for which nothing was decoded.
struct StreamHole: Hashable, Sendable {
  /// What it is, as far as the stream itself can tell.
  enum Kind: Hashable, Sendable {
    /// Sequence numbers are missing.
    case loss
    /// RTP time ran on without packets.
    case stall
    /// A packet was there and could not be decoded.
    case undecodable
    /// The stream has not gone on so far.
    case open
  }

  /// Stream position of its first sample.
  var start: Int64
  /// In samples.
  var length: Int64
  var kind: Kind
  /// Samples of it that concealment made.
  var concealed: Int64
}
