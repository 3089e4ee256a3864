/// Puts the frames of a WebSocket client together into messages and checks every rule for them (RFC 6455 section 5, RFC
/// 7692 section 6), without a socket.
///
/// A message is held once, in at most as many bytes as it may have.
package struct MessageAssembler: Sendable {
  /// A frame with its payload unmasked.
  package struct Frame: Hashable, Sendable {
    package var isFinal: Bool
    /// The bits RSV1 (4), RSV2 (2) and RSV3 (1).
    package var reserved: UInt8
    /// 0...15.
    package var opcode: UInt8
    package var isMasked: Bool
    package var payload: [UInt8]

    package init(isFinal: Bool = true, reserved: UInt8 = 0, opcode: UInt8, isMasked: Bool = true, payload: [UInt8]) {
      (self.isFinal, self.reserved, self.opcode) = (isFinal, reserved, opcode)
      (self.isMasked, self.payload) = (isMasked, payload)
    }
  }

  /// What the client said.
  package enum Event: Hashable, Sendable {
    case text(String)
    case binary([UInt8])
    /// The payload goes back in a pong.
    case ping([UInt8])
    case pong
    /// The code goes back in a close frame: 1000 if the client sent none.
    case close(code: UInt16)
  }

  /// Undoes the compression of a message; the result has at most `limit` bytes.
  package typealias Inflater =
    @Sendable (_ bytes: [UInt8], _ limit: Int) throws(FrameViolation) -> [UInt8]

  private let limit: Int
  private let fragmentLimit: Int
  private let inflater: Inflater?
  private var unfinished: Unfinished?

  /// A message of which the last frame is missing.
  private struct Unfinished {
    let isText: Bool
    let isCompressed: Bool
    var bytes: [UInt8] = []
    var frames = 0
  }

  private static let (continuation, text, binary, close, ping, pong): (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) =
    (0x0, 0x1, 0x2, 0x8, 0x9, 0xA)
  /// RSV1, which marks a compressed message (RFC 7692 section 6).
  private static let compressed: UInt8 = 4
  /// Longest payload of a control frame, in bytes.
  private static let longestControl = 125

  /// - Parameters:
  ///   - limit: bytes of a message, compressed or not.
  ///   - fragments: frames of a message.
  ///   - inflater: nil if the link has not negotiated compression.
  package init(limit: Int, fragments: Int, inflater: Inflater? = nil) {
    (self.limit, fragmentLimit, self.inflater) = (limit, fragments, inflater)
  }

  /// Adds a frame; the event that it completes, or nil for a fragment.
  ///
  /// After a violation the link is closed; further frames have no meaning.
  package mutating func add(_ frame: Frame) throws(FrameViolation) -> Event? {
    guard frame.isMasked else { throw .unmasked }
    let isFirst = frame.opcode == MessageAssembler.text || frame.opcode == MessageAssembler.binary
    let permitted = isFirst && inflater != nil ? MessageAssembler.compressed : 0
    guard frame.reserved & ~permitted == 0 else { throw .reservedBits }
    switch frame.opcode {
    case MessageAssembler.continuation:
      guard let message = unfinished.take() else { throw .nothingToContinue }
      return try extend(message, by: frame)
    case MessageAssembler.text, MessageAssembler.binary:
      guard unfinished == nil else { throw .unfinishedMessage }
      let message = Unfinished(
        isText: frame.opcode == MessageAssembler.text, isCompressed: frame.reserved == MessageAssembler.compressed)
      return try extend(message, by: frame)
    case MessageAssembler.close, MessageAssembler.ping, MessageAssembler.pong:
      guard frame.isFinal, frame.payload.count <= MessageAssembler.longestControl else { throw .longControl }
      switch frame.opcode {
      case MessageAssembler.close: return .close(code: try MessageAssembler.closingCode(frame.payload))
      case MessageAssembler.ping: return .ping(frame.payload)
      default: return .pong
      }
    default: throw .unknownOpcode(frame.opcode)
    }
  }

  /// - Parameter message: consumed, so that its bytes grow in place.
  private mutating func extend(
    _ message: consuming Unfinished, by frame: Frame
  ) throws(FrameViolation) -> Event? {
    message.frames &+= 1
    guard message.frames < fragmentLimit || (message.frames == fragmentLimit && frame.isFinal) else {
      throw .tooManyFragments(limit: fragmentLimit)
    }
    guard frame.payload.count <= limit &- message.bytes.count else { throw .tooLarge(limit: limit) }
    if message.bytes.isEmpty { message.bytes = frame.payload } else { message.bytes.append(contentsOf: frame.payload) }
    guard frame.isFinal else {
      unfinished = message
      return nil
    }
    if message.isCompressed, let inflater { message.bytes = try inflater(message.bytes, limit) }
    guard message.isText else { return .binary(message.bytes) }
    guard let text = String(validating: message.bytes, as: UTF8.self) else { throw .invalidText }
    return .text(text)
  }

  /// The code of a close frame's payload (section 7.4).
  private static func closingCode(_ payload: [UInt8]) throws(FrameViolation) -> UInt16 {
    guard !payload.isEmpty else { return 1000 }
    guard payload.count >= 2 else { throw .invalidClosing }
    let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: break
    default: throw .invalidClosing
    }
    guard String(validating: payload.dropFirst(2), as: UTF8.self) != nil else { throw .invalidText }
    return code
  }
}

/// A rule of RFC 6455 or RFC 7692 that a client broke; the link is closed.
package enum FrameViolation: Error, Hashable, Sendable {
  /// Section 5.1.
  case unmasked
  /// Section 5.2: an extension's bit that was not negotiated, or on a frame that may not have it.
  case reservedBits
  case unknownOpcode(UInt8)
  /// Section 5.5: a control frame in fragments, or of more than 125 bytes.
  case longControl
  /// Section 5.4: a continuation without a beginning.
  case nothingToContinue
  /// Section 5.4: a new message before the end of the last one.
  case unfinishedMessage
  /// Section 8.1: a text or the reason of a close that is not UTF-8.
  case invalidText
  /// Section 7.4: a close of one byte, or with a code that nobody may send.
  case invalidClosing
  /// RFC 7692 section 7.2.2: a message that does not inflate.
  case notDeflate
  case tooLarge(limit: Int)
  case tooManyFragments(limit: Int)

  /// The code for closing the link (section 7.4.1).
  package var code: UInt16 {
    switch self {
    case .invalidText, .notDeflate: 1007
    case .tooLarge, .tooManyFragments: 1009
    default: 1002
    }
  }

  /// A sentence for the close frame, at most 123 bytes.
  package var sentence: String {
    switch self {
    case .unmasked: "frames of a client must be masked"
    case .reservedBits: "a frame has reserved bits that were not negotiated or that it may not have"
    case .unknownOpcode(let opcode): "there is no opcode \(opcode)"
    case .longControl: "a control frame comes in fragments or has more than 125 bytes"
    case .nothingToContinue: "a continuation frame has no message to continue"
    case .unfinishedMessage: "a message begins before the end of the last one"
    case .invalidText: "a text is not UTF-8"
    case .invalidClosing: "a close frame has one byte, or a code that may not be sent"
    case .notDeflate: "a compressed message is no DEFLATE stream"
    case .tooLarge(let limit): "a message may have at most \(limit) bytes"
    case .tooManyFragments(let limit): "a message may have at most \(limit) fragments"
    }
  }
}
