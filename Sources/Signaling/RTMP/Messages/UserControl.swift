/// An event of a user-control message (type 4).
enum UserControl: Hashable, Sendable {
  case streamBegin(UInt32)
  case streamEnd(UInt32)
  case streamDry(UInt32)
  /// The client's buffer, in milliseconds.
  case bufferLength(UInt32, milliseconds: UInt32)
  case streamIsRecorded(UInt32)
  /// The sender's clock, to be given back.
  case pingRequest(UInt32)
  case pingResponse(UInt32)
  /// SWF verification, buffer states and what else there is: not answered.
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
