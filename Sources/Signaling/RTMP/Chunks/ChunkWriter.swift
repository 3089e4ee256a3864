/// Writes messages as chunks, whole messages after each other and each with a full header: the compressed headers save 4
/// to 11 bytes and some clients die on them.
struct ChunkWriter {
  /// The size of this direction's chunks.
  var chunkSize = ChunkReader.initialChunkSize

  /// Appends the message on a chunk stream from 2 to 63. One without a body is left out, because the iOS library's parser
  /// stalls on it.
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
