/// A message of the chunk stream.
struct RTMPMessage: Hashable, Sendable {
  static let setChunkSize: UInt8 = 1
  static let abort: UInt8 = 2
  static let acknowledgement: UInt8 = 3
  static let userControl: UInt8 = 4
  static let windowSize: UInt8 = 5
  static let peerBandwidth: UInt8 = 6
  static let audio: UInt8 = 8
  static let video: UInt8 = 9
  static let dataAMF3: UInt8 = 15
  static let sharedObjectAMF3: UInt8 = 16
  static let commandAMF3: UInt8 = 17
  static let data: UInt8 = 18
  static let sharedObject: UInt8 = 19
  static let command: UInt8 = 20
  static let aggregate: UInt8 = 22

  var type: UInt8
  /// The message stream; 0 is the connection.
  var stream: UInt32
  /// Milliseconds, modulo 2^32.
  var timestamp: UInt32
  var body: [UInt8]

  init(type: UInt8, stream: UInt32 = 0, timestamp: UInt32 = 0, body: [UInt8]) {
    self.type = type
    self.stream = stream
    self.timestamp = timestamp
    self.body = body
  }

  /// A reader of the AMF0 values; AMF3 types have one meaningless byte before them.
  var values: ByteReader {
    let isAMF3 =
      type == RTMPMessage.dataAMF3 || type == RTMPMessage.sharedObjectAMF3 || type == RTMPMessage.commandAMF3
    return ByteReader(body, from: isAMF3 ? 1 : 0)
  }
}

/// The chunk stream of a message; none above 63, because the iOS library cannot parse longer headers.
enum RTMPChannel {
  static let control: UInt8 = 2
  /// Commands and shared objects.
  static let command: UInt8 = 3
  static let audio: UInt8 = 4
  /// Status and data of streams.
  static let stream: UInt8 = 5
}

/// An aggregate message (type 22), in the format of FLV tags.
enum AggregateMessage {
  /// Length of the size field after each record, which includes the record's header of 11 bytes.
  private static let backPointer = 4

  /// The contained messages, with the outer one's stream and adjusted times.
  static func messages(in outer: RTMPMessage) throws(RTMPViolation) -> [RTMPMessage] {
    var reader = ByteReader(outer.body)
    var messages: [RTMPMessage] = []
    var first: UInt32?
    while reader.remaining > 0 {
      guard
        let type = reader.u8(), let size = reader.u24(), let low = reader.u24(), let high = reader.u8(),
        reader.u24() != nil, let body = reader.take(Int(size))
      else { throw RTMPViolation("an aggregate ends within its record \(messages.count)") }
      // Some writers omit the last size.
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

/// A violation of RTMP or of this server's limits, as a sentence.
package struct RTMPViolation: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String

  init(_ description: String) {
    self.description = description
  }
}
