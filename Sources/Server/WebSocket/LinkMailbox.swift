import NIOCore
import NIOWebSocket

/// The inputs of a WebSocket link's pump from all sources.
enum LinkInput: Sendable {
  /// A text message of the client.
  case text(String)
  /// A binary message of the client.
  case binary
  /// The client pinged; these bytes go back.
  case ping([UInt8])
  /// The client closes; this code goes back.
  case remoteClosed(LinkClosing)
  /// The client broke a rule; its further messages are not read.
  case violation(LinkClosing)
  /// One of the former two, after the responses to the client's earlier messages.
  indirect case answered(LinkInput)
  /// A text of the session for the client.
  case send(String)
  /// The session closes the link; nothing comes after it.
  case close(LinkClosing)
  /// Our ping is due.
  case pingDue
  /// The service stops.
  case shutdown
}

/// The only queue of a signaling link: bounded, so that a client that does not read costs little and is disconnected.
final class LinkMailbox: Sendable {
  let inputs: AsyncStream<LinkInput>
  private let continuation: AsyncStream<LinkInput>.Continuation
  /// Called when the queue is full.
  private let whenFull: @Sendable () -> Void

  init(capacity: Int, whenFull: @escaping @Sendable () -> Void) {
    (inputs, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(capacity))
    self.whenFull = whenFull
  }

  func put(_ input: LinkInput) {
    if case .dropped = continuation.yield(input) { whenFull() }
  }

  /// Ends the queue after the loss of the connection. This is not an input, so a full queue cannot block it: queued
  /// inputs are still read, and nothing follows.
  func finish() { continuation.finish() }
}

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
