/// What a track's render wants to know of an RTP packet.
struct IncomingAudio: Sendable {
  /// An older packet's Opus bytes that this one carries again (RFC 2198).
  struct Copy: Sendable {
    /// RTP time units by which it is older.
    var offset: UInt32
    var payload: ArraySlice<UInt8>
  }

  /// SSRC.
  var source: UInt32
  var sequence: UInt16
  var timestamp: UInt32
  /// The Opus bytes; empty for padding.
  var payload: ArraySlice<UInt8>
  /// Oldest first.
  var redundancy: [Copy] = []
  /// When the first sample was captured, in seconds of the sender's NTP clock.
  var captureTime: Double?
}
