/// A message of messages (type 22), as FLV files have their tags.
enum AggregateMessage {
  /// Bytes of the size that follows each record, counting the record's head of 11 bytes.
  private static let backPointer = 4

  /// The messages inside, moved to the outer one's stream and time.
  static func messages(in outer: RTMPMessage) throws(RTMPViolation) -> [RTMPMessage] {
    var reader = ByteReader(outer.body)
    var messages: [RTMPMessage] = []
    var first: UInt32?
    while reader.remaining > 0 {
      guard
        let type = reader.u8(), let size = reader.u24(), let low = reader.u24(), let high = reader.u8(),
        reader.u24() != nil, let body = reader.take(Int(size))
      else { throw RTMPViolation("an aggregate ends inside of its record \(messages.count)") }
      // Some writers leave out the last size.
      reader.skip(AggregateMessage.backPointer)
      let time = UInt32(high) << 24 | low
      let start = first ?? time
      first = start
      messages.append(
        RTMPMessage(
          type: type, stream: outer.stream, timestamp: outer.timestamp &+ (time &- start), body: Array(body)))
    }
    return messages
  }
}
