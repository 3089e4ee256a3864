/// One life of a stream in a journal: two renders of one journal begin the same.
struct StreamKey: Hashable, Sendable {
  var track: Int
  var source: UInt32
  /// RTP time that counts as 0, and the first extended sequence number, as the stream began.
  var base: UInt32
  var sequence: Int64
}
