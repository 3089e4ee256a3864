// Arithmetic in this file is in range: it counts bytes in memory and lengths of 24 bits.

/// Splits a peer's chunk stream into messages, in order of completion.
///
/// Chunk size and abort messages take effect here at once and are also returned. A violation is permanent: the
/// connection must be closed, because the start of the next chunk is unknown.
struct ChunkReader {
  /// The initial chunk size in both directions.
  static let initialChunkSize = 128

  private let limits: RTMPLimits
  private var inbox = ByteInbox()
  private var streams: [ChunkStream] = []
  /// The chunk whose payload is being read, as an index of `streams`, and its remaining bytes.
  private var current: (stream: Int, left: Int)?
  private var chunkSize = ChunkReader.initialChunkSize
  /// Total bytes of incomplete messages.
  private var unfinished = 0
  /// True once connected; limits on messages are then laxer, those on chunks stricter.
  var isConnected = false

  init(limits: RTMPLimits = RTMPLimits()) {
    self.limits = limits
  }

  /// Number of bytes waiting to be read.
  var waiting: Int { inbox.count }

  mutating func append(_ bytes: [UInt8]) {
    inbox.append(bytes)
  }

  /// Returns the next complete message; nil until more bytes have arrived.
  mutating func next() throws(RTMPViolation) -> RTMPMessage? {
    while true {
      if current == nil {
        guard let chunk = try readHeader() else { return nil }
        current = chunk
      }
      guard let (index, left) = current else { return nil }
      let payload = inbox.take(upTo: left)
      streams[index].body.append(contentsOf: payload)
      unfinished += payload.count
      guard unfinished <= limits.unfinished else {
        throw RTMPViolation("incomplete messages exceed \(limits.unfinished) bytes")
      }
      guard payload.count == left else {
        current = (index, left - payload.count)
        return nil
      }
      current = nil
      if streams[index].body.count == streams[index].length { return try finish(index) }
    }
  }

  private mutating func finish(_ index: Int) throws(RTMPViolation) -> RTMPMessage {
    let stream = streams[index]
    unfinished -= stream.body.count
    streams[index].body = []
    streams[index].isUnfinished = false
    let message = RTMPMessage(
      type: stream.type, stream: stream.stream, timestamp: stream.timestamp, body: stream.body)
    switch try RTMPControl(message) {
    case .chunkSize(let size)?: try adopt(size)
    case .abort(let id)?: abort(Int(id))
    default: break
    }
    return message
  }

  private mutating func adopt(_ size: UInt32) throws(RTMPViolation) {
    guard size > 0, size < 1 << 31 else {
      throw RTMPViolation("the chunk size is \(size); it must be from 1 to 2147483647")
    }
    guard !isConnected || size >= limits.chunkSize else {
      throw RTMPViolation("a chunk size of \(size) is below \(limits.chunkSize)")
    }
    chunkSize = Int(size)
  }

  private mutating func abort(_ id: Int) {
    guard let index = streams.firstIndex(where: { $0.id == id }), streams[index].isUnfinished else { return }
    unfinished -= streams[index].body.count
    streams[index].body = []
    streams[index].isUnfinished = false
  }

  /// Parses a chunk's header once it is complete: its stream and the number of payload bytes that follow.
  private mutating func readHeader() throws(RTMPViolation) -> (stream: Int, left: Int)? {
    guard let header = ChunkHeader(inbox) else { return nil }
    let known = streams.firstIndex { $0.id == header.id }
    var stream = known.map { streams[$0] } ?? ChunkStream(id: header.id)
    if known == nil {
      guard header.format < 2 else {
        throw RTMPViolation("chunk stream \(header.id) begins with a header of kind \(header.format)")
      }
      guard streams.count < limits.chunkStreams else {
        throw RTMPViolation("there are more than \(limits.chunkStreams) chunk streams")
      }
    }
    var size = header.size
    if header.format == 3 {
      switch header.repeatsTimestamp(of: stream, in: inbox) {
      case nil: return nil
      case true?: size += 4
      case false?: break
      }
      if !stream.isUnfinished { stream.timestamp &+= stream.delta }
    } else {
      guard !stream.isUnfinished else {
        throw RTMPViolation("a message on chunk stream \(header.id) begins within another")
      }
      header.apply(to: &stream)
    }
    if !stream.isUnfinished {
      try check(stream)
      stream.isUnfinished = true
    }
    inbox.skip(size)
    let left = min(chunkSize, stream.length - stream.body.count)
    if let known {
      // Removing the second reference to the body avoids a copy when appending.
      streams[known].body = []
      streams[known] = stream
      return (known, left)
    }
    streams.append(stream)
    return (streams.count - 1, left)
  }

  /// Checks a message's announced length before any of its bytes are kept.
  private func check(_ stream: ChunkStream) throws(RTMPViolation) {
    if let exact = RTMPControl.length(of: stream.type), stream.length != exact {
      throw RTMPViolation("a message of type \(stream.type) has \(stream.length) bytes instead of \(exact)")
    }
    let limit =
      if RTMPControl.types.contains(stream.type) {
        limits.control
      } else if !isConnected {
        limits.earlyMessage
      } else {
        switch stream.type {
        case RTMPMessage.audio: limits.audio
        case RTMPMessage.command, RTMPMessage.commandAMF3: limits.command
        default: limits.message
        }
      }
    guard stream.length <= limit else {
      throw RTMPViolation("a message of type \(stream.type) has \(stream.length) bytes, which is over \(limit)")
    }
  }
}

/// The state of a chunk stream between chunks.
struct ChunkStream {
  let id: Int
  var timestamp: UInt32 = 0
  /// The timestamp increment for another message without its own header.
  var delta: UInt32 = 0
  var length = 0
  var type: UInt8 = 0
  var stream: UInt32 = 0
  /// The last extended timestamp; nil if the last header had none.
  var extended: UInt32?
  /// True while a message is incomplete.
  var isUnfinished = false
  var body: [UInt8] = []
}
