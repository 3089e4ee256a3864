/// A data message (type 18, or 15): a handler's name and values, on a stream.
struct StreamData: Hashable, Sendable {
  static let setFrame = "@setDataFrame"
  static let metadata = "onMetaData"

  var name: String
  var values: [AMFValue]

  init(_ name: String, _ values: [AMFValue]) {
    self.name = name
    self.values = values
  }

  init(_ message: RTMPMessage) throws(RTMPViolation) {
    let sequence = AMFSequence(message.values)
    if let failure = sequence.failure { throw RTMPViolation("a data message: \(failure)") }
    guard let name = sequence.values.first?.string else {
      throw RTMPViolation("a data message begins without a name")
    }
    self.name = name
    values = Array(sequence.values.dropFirst())
  }

  /// What the publisher says about the stream: with or without the encoders' `@setDataFrame` before it.
  var metadata: [AMFMember]? {
    switch name {
    case StreamData.metadata: values.first?.members
    case StreamData.setFrame where values.count > 1 && values[0].string == StreamData.metadata: values[1].members
    default: nil
    }
  }

  func message(stream: UInt32, timestamp: UInt32 = 0) -> RTMPMessage {
    RTMPMessage(
      type: RTMPMessage.data, stream: stream, timestamp: timestamp, body: AMFWriter.bytes([.string(name)] + values))
  }
}
