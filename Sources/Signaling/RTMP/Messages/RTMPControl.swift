/// A protocol control message, on chunk stream 2 and message stream 0.
enum RTMPControl: Hashable, Sendable {
  /// The types of control messages.
  static let types: ClosedRange<UInt8> = RTMPMessage.setChunkSize...RTMPMessage.peerBandwidth

  /// The sender's chunk size from now on.
  case chunkSize(UInt32)
  /// The incomplete message on this chunk stream is abandoned.
  case abort(UInt32)
  /// Number of bytes received so far, modulo 2^32.
  case acknowledgement(UInt32)
  case user(UserControl)
  /// Number of bytes after which the sender expects an acknowledgement.
  case windowSize(UInt32)
  /// Maximum number of unacknowledged bytes; limit 0 is hard, 1 soft and 2 dynamic.
  case peerBandwidth(UInt32, limit: UInt8)

  /// The length of messages of this type, if it is fixed.
  static func length(of type: UInt8) -> Int? {
    switch type {
    case RTMPMessage.setChunkSize, RTMPMessage.abort, RTMPMessage.acknowledgement, RTMPMessage.windowSize: 4
    case RTMPMessage.peerBandwidth: 5
    default: nil
    }
  }

  /// Nil for a message of another type.
  init?(_ message: RTMPMessage) throws(RTMPViolation) {
    guard RTMPControl.types.contains(message.type) else { return nil }
    if message.type == RTMPMessage.userControl {
      self = .user(try UserControl(message.body))
      return
    }
    var reader = ByteReader(message.body)
    guard message.body.count == RTMPControl.length(of: message.type), let value = reader.u32() else {
      throw RTMPViolation("a message of type \(message.type) has \(message.body.count) bytes")
    }
    switch message.type {
    case RTMPMessage.setChunkSize: self = .chunkSize(value)
    case RTMPMessage.abort: self = .abort(value)
    case RTMPMessage.acknowledgement: self = .acknowledgement(value)
    case RTMPMessage.windowSize: self = .windowSize(value)
    default: self = .peerBandwidth(value, limit: reader.u8() ?? 0)
    }
  }

  var message: RTMPMessage {
    var body: [UInt8] = []
    let type: UInt8
    switch self {
    case .chunkSize(let size):
      type = RTMPMessage.setChunkSize
      body.append(size, octets: 4)
    case .abort(let id):
      type = RTMPMessage.abort
      body.append(id, octets: 4)
    case .acknowledgement(let total):
      type = RTMPMessage.acknowledgement
      body.append(total, octets: 4)
    case .user(let event):
      type = RTMPMessage.userControl
      body = event.bytes
    case .windowSize(let size):
      type = RTMPMessage.windowSize
      body.append(size, octets: 4)
    case .peerBandwidth(let size, let limit):
      type = RTMPMessage.peerBandwidth
      body.append(size, octets: 4)
      body.append(limit)
    }
    return RTMPMessage(type: type, body: body)
  }
}

/// An event of a user-control message (type 4).
enum UserControl: Hashable, Sendable {
  case streamBegin(UInt32)
  case streamEnd(UInt32)
  case streamDry(UInt32)
  /// The client's buffer length, in milliseconds.
  case bufferLength(UInt32, milliseconds: UInt32)
  case streamIsRecorded(UInt32)
  /// The sender's clock, to be returned.
  case pingRequest(UInt32)
  case pingResponse(UInt32)
  /// SWF verification, buffer states and others: not answered.
  case other(UInt16)

  private static let bufferLengthEvent = 3

  init(_ body: [UInt8]) throws(RTMPViolation) {
    var reader = ByteReader(body)
    guard let event = reader.u16() else { throw RTMPViolation("a user control of \(body.count) bytes has no event") }
    guard (0...4).contains(event) || event == 6 || event == 7 else {
      self = .other(UInt16(truncatingIfNeeded: event))
      return
    }
    let length = event == UserControl.bufferLengthEvent ? 10 : 6
    guard body.count == length, let value = reader.u32() else {
      throw RTMPViolation("the user control \(event) has \(body.count) bytes instead of \(length)")
    }
    switch event {
    case 0: self = .streamBegin(value)
    case 1: self = .streamEnd(value)
    case 2: self = .streamDry(value)
    case UserControl.bufferLengthEvent: self = .bufferLength(value, milliseconds: reader.u32() ?? 0)
    case 4: self = .streamIsRecorded(value)
    case 6: self = .pingRequest(value)
    default: self = .pingResponse(value)
    }
  }

  var bytes: [UInt8] {
    let (event, values): (UInt16, [UInt32]) =
      switch self {
      case .streamBegin(let id): (0, [id])
      case .streamEnd(let id): (1, [id])
      case .streamDry(let id): (2, [id])
      case .bufferLength(let id, let milliseconds): (3, [id, milliseconds])
      case .streamIsRecorded(let id): (4, [id])
      case .pingRequest(let clock): (6, [clock])
      case .pingResponse(let clock): (7, [clock])
      case .other(let event): (event, [])
      }
    var bytes: [UInt8] = []
    bytes.append(UInt64(event), octets: 2)
    for value in values { bytes.append(value, octets: 4) }
    return bytes
  }
}
