/// What a chunk stream remembers from one chunk to the next.
struct ChunkStream {
  let id: Int
  var timestamp: UInt32 = 0
  /// What a further message without a header of its own adds to the timestamp.
  var delta: UInt32 = 0
  var length = 0
  var type: UInt8 = 0
  var stream: UInt32 = 0
  /// The extended timestamp that came last, or nil when the last header had none.
  var extended: UInt32?
  /// Whether a message has begun and not ended.
  var isUnfinished = false
  var body: [UInt8] = []
}
