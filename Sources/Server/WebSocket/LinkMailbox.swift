import NIOCore
import NIOWebSocket
import Signaling
import Synchronization

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
  /// One of the former two, after the responses to the client's earlier messages; or the shutdown, after everything that
  /// the room has said.
  indirect case answered(LinkInput)
  /// A text of the session for the client; the receipt is signed once it is written.
  case send(String, TextReceipt? = nil)
  /// The session closes the link; nothing comes after it.
  case close(LinkClosing)
  /// Our ping is due.
  case pingDue
  /// The service stops.
  case shutdown
}

extension LinkInput {
  /// Bytes of its text.
  fileprivate var size: Int {
    switch self {
    case .text(let text), .send(let text, _): text.utf8.count
    default: 0
    }
  }
}

/// The only queue of a signaling link: bounded in number and bytes, so that a client that does not read costs little
/// and is disconnected.
final class LinkMailbox: Sendable {
  /// The reader says with `took` what it has read.
  let inputs: AsyncStream<LinkInput>
  private let continuation: AsyncStream<LinkInput>.Continuation
  private let bytes: OutgoingBytes
  /// Called when the queue is full.
  private let whenFull: @Sendable () -> Void

  init(capacity: Int, bytes limit: Int = .max, whenFull: @escaping @Sendable () -> Void) {
    self.bytes = OutgoingBytes(limit: limit)
    (inputs, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(capacity))
    self.whenFull = whenFull
  }

  func put(_ input: LinkInput) {
    guard bytes.add(input.size) else { return whenFull() }
    guard case .dropped = continuation.yield(input) else { return }
    bytes.remove(input.size)
    whenFull()
  }

  /// Counts an input out that was read.
  func took(_ input: LinkInput) {
    bytes.remove(input.size)
  }

  /// Ends the queue after the loss of the connection. This is not an input, so a full queue cannot block it: queued
  /// inputs are still read, and nothing follows.
  func finish() { continuation.finish() }
}

/// Says whether a text was written to its link's connection. A client may still not have read it.
final class TextReceipt: Sendable {
  private let flag = Atomic<Bool>(false)

  var isSigned: Bool { flag.load(ordering: .acquiring) }

  func sign() { flag.store(true, ordering: .releasing) }
}

/// The reason for closing a link: a code of RFC 6455 section 7.4 and a text for people.
struct LinkClosing: Hashable, Sendable {
  var code: UInt16
  var reason: String

  init(code: UInt16, reason: String) {
    (self.code, self.reason) = (code, reason)
  }

  /// Most bytes of a reason: a control frame has at most 125, two of which are the code.
  private static let maximumReason = 123

  var frame: WebSocketFrame {
    var text = reason
    while text.utf8.count > LinkClosing.maximumReason { text.removeLast() }
    var data = ByteBuffer()
    data.writeInteger(code)
    data.writeString(text)
    return WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
  }

  static let tooSlow = LinkClosing(code: 1013, reason: "messages come faster than the service can handle them")
  static let shutdown = LinkClosing(code: 1001, reason: "the service stops")
  static func unproven(after milliseconds: Int64) -> LinkClosing {
    LinkClosing(code: 1008, reason: "no valid key or token was shown within \(milliseconds / 1_000) seconds")
  }

  init(_ violation: FrameViolation) {
    self.init(code: violation.code, reason: violation.sentence)
  }

  static func tooMany(rate: Int, burst: Int) -> LinkClosing {
    LinkClosing(code: 1008, reason: "more than \(rate) messages a second (and \(burst) at once)")
  }
}
