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
  /// The message stream: 0 is the connection.
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

  /// A reader of the AMF0 values: the AMF3 types have one byte before them that means nothing.
  var values: ByteReader {
    let isAMF3 =
      type == RTMPMessage.dataAMF3 || type == RTMPMessage.sharedObjectAMF3 || type == RTMPMessage.commandAMF3
    return ByteReader(body, from: isAMF3 ? 1 : 0)
  }
}
