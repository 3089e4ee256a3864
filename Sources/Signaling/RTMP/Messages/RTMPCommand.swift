/// A command (type 20 or 17): a name, a transaction number, an object and arguments.
struct RTMPCommand: Hashable, Sendable {
  static let result = "_result"
  static let error = "_error"
  static let status = "onStatus"

  var name: String
  /// Repeated in the answer; 0 requests none. Clients repeat numbers, so it is not an identifier.
  var transaction: Double
  /// The properties of `connect`; otherwise null.
  var object: AMFValue
  var arguments: [AMFValue]
  /// True for type 17.
  var isAMF3: Bool

  init(
    _ name: String, transaction: Double = 0, object: AMFValue = .null, _ arguments: [AMFValue] = [],
    isAMF3: Bool = false
  ) {
    self.name = name
    self.transaction = transaction
    self.object = object
    self.arguments = arguments
    self.isAMF3 = isAMF3
  }

  /// Throws the readable part of a malformed command.
  init(_ message: RTMPMessage) throws(RTMPCommandFailure) {
    let isAMF3 = message.type == RTMPMessage.commandAMF3
    let sequence = AMFSequence(message.values)
    let name = sequence.values.first?.string
    let transaction = sequence.values.count > 1 ? sequence.values[1].number ?? 0 : 0
    guard sequence.failure == nil, let name else {
      let reason = sequence.failure.map { "\(name?.prefix(64) ?? "a command"): \($0)" }
      throw RTMPCommandFailure(
        transaction: transaction, isAMF3: isAMF3, reason: reason ?? "a command begins without a name")
    }
    self.name = name
    self.transaction = transaction
    self.isAMF3 = isAMF3
    object = sequence.values.count > 2 ? sequence.values[2] : .null
    arguments = Array(sequence.values.dropFirst(3))
  }

  func message(stream: UInt32 = 0) -> RTMPMessage {
    var writer = AMFWriter(after: isAMF3 ? [0] : [])
    writer.write(.string(name))
    writer.write(.number(transaction))
    writer.write(object)
    for argument in arguments { writer.write(argument) }
    return RTMPMessage(
      type: isAMF3 ? RTMPMessage.commandAMF3 : RTMPMessage.command, stream: stream, body: writer.bytes)
  }
}

/// A malformed command, with the parts needed for an answer.
struct RTMPCommandFailure: Error, Hashable, Sendable {
  /// 0 if no answer is requested, or if the number was unreadable.
  let transaction: Double
  let isAMF3: Bool
  /// A sentence.
  let reason: String
}

/// A data message (type 18 or 15): a handler's name and values, on a stream.
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

  /// The publisher's metadata of the stream, with or without the encoders' preceding `@setDataFrame`.
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
