// Arithmetic in this file is in range: it adds single bytes, and sizes of bytes in memory.

/// The header of a chunk: its stream and, except in continuations, changed fields of the message.
struct ChunkHeader {
  /// The timestamp value that announces an extended timestamp.
  static let extendedMark: UInt32 = 0xFF_FFFF
  /// Length of the message header by format.
  private static let sizes = [11, 7, 3, 0]

  /// 0: all fields; 1: without the message stream; 2: only a time; 3: no fields.
  let format: UInt8
  let id: Int
  /// Total length in bytes.
  let size: Int
  /// An absolute time in format 0, a difference in 1 and 2.
  private var time: UInt32 = 0
  private var extended: UInt32?
  private var length = 0
  private var type: UInt8 = 0
  private var stream: UInt32 = 0

  /// Nil until the header is complete.
  init?(_ inbox: ByteInbox) {
    guard let first = inbox.peek(0) else { return nil }
    format = first >> 6
    var offset = 1
    switch first & 0x3F {
    case 0:
      guard let low = inbox.peek(1) else { return nil }
      id = 64 + Int(low)
      offset = 2
    case 1:
      // Apart from the message stream, this is the only little-endian number.
      guard let low = inbox.peek(1), let high = inbox.peek(2) else { return nil }
      id = 64 + Int(low) + 256 * Int(high)
      offset = 3
    case let short: id = Int(short)
    }
    var size = offset + ChunkHeader.sizes[Int(format)]
    guard size <= inbox.count else { return nil }
    if format < 3, let field = inbox.number(at: offset, octets: 3) {
      time = field
      if field == ChunkHeader.extendedMark {
        guard let real = inbox.number(at: size, octets: 4) else { return nil }
        extended = real
        time = real
        size += 4
      }
    }
    if format < 2 {
      length = Int(inbox.number(at: offset + 3, octets: 3) ?? 0)
      type = inbox.peek(offset + 6) ?? 0
    }
    if format == 0 { stream = (inbox.number(at: offset + 7, octets: 4) ?? 0).byteSwapped }
    self.size = size
  }

  /// Starts a message on its chunk stream.
  func apply(to state: inout ChunkStream) {
    state.extended = extended
    if format == 0 {
      state.timestamp = time
      state.delta = 0
      state.stream = stream
    } else {
      state.timestamp &+= time
      state.delta = time
    }
    if format < 2 {
      state.length = length
      state.type = type
    }
  }

  /// True if a continuation repeats the extended timestamp, as required but ignored by old encoders; its bytes are
  /// skipped only if they are identical. Nil until this can be determined.
  func repeatsTimestamp(of stream: ChunkStream, in inbox: ByteInbox) -> Bool? {
    guard let extended = stream.extended else { return false }
    for index in 0..<4 {
      guard let byte = inbox.peek(size + index) else { return nil }
      if byte != UInt8(truncatingIfNeeded: extended >> UInt32(24 - 8 * index)) { return false }
    }
    return true
  }
}

/// Writes consecutive complete messages as chunks with full headers: compressed headers save 4 to 11 bytes, but crash
/// some clients.
struct ChunkWriter {
  /// The chunk size in this direction.
  var chunkSize = ChunkReader.initialChunkSize

  /// Appends the message on a chunk stream from 2 to 63. A message without a body is left out, because the iOS
  /// library's parser stalls on it.
  func write(_ message: RTMPMessage, on id: UInt8, into bytes: inout [UInt8]) {
    guard !message.body.isEmpty else { return }
    let isExtended = message.timestamp >= ChunkHeader.extendedMark
    bytes.append(id & 0x3F)
    bytes.append(isExtended ? ChunkHeader.extendedMark : message.timestamp, octets: 3)
    bytes.append(UInt64(message.body.count), octets: 3)
    bytes.append(message.type)
    bytes.append(message.stream.byteSwapped, octets: 4)
    if isExtended { bytes.append(message.timestamp, octets: 4) }
    var position = 0
    while true {
      let end = min(position + chunkSize, message.body.count)
      bytes.append(contentsOf: message.body[position..<end])
      position = end
      guard position < message.body.count else { return }
      bytes.append(id & 0x3F | 0xC0)
      if isExtended { bytes.append(message.timestamp, octets: 4) }
    }
  }
}
