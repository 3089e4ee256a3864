import NIOCore
import NIOWebSocket

/// The reason for closing a link: a code of RFC 6455 section 7.4 and a text for people.
struct LinkClosing: Hashable, Sendable {
  var code: UInt16
  var reason: String

  /// Most bytes of a reason: a control frame has at most 125, two of which are the code.
  private static let maximumReason = 123

  var frame: WebSocketFrame {
    var data = ByteBuffer()
    data.writeInteger(code)
    data.writeBytes(reason.utf8.prefix(LinkClosing.maximumReason))
    return WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
  }

  static let tooSlow = LinkClosing(code: 1013, reason: "messages come faster than the service can handle them")
  static let shutdown = LinkClosing(code: 1001, reason: "the service stops")
  static let invalidText = LinkClosing(code: 1007, reason: "a text message is not UTF-8")
  static let unmasked = LinkClosing(code: 1002, reason: "frames of a client must be masked")
  static let protocolError = LinkClosing(code: 1002, reason: "a frame breaks RFC 6455")

  static func tooLarge(limit: Int) -> LinkClosing {
    LinkClosing(code: 1009, reason: "a message may have at most \(limit) bytes")
  }

  static func tooMany(rate: Int, burst: Int) -> LinkClosing {
    LinkClosing(code: 1008, reason: "more than \(rate) messages a second (and \(burst) at once)")
  }
}
