import Machines

/// A session of SockJS over plain requests, without a socket: its frames wait here for the response that carries them.
///
/// One response at a time is the session's *receiver*. Between two receivers the session waits, but not for long. A
/// receiver whose connection breaks may have lost frames, which ends the session (section "Handling close").
package struct SockJSSession: Sendable {
  package struct Limits: Hashable, Sendable {
    /// Messages that may wait, and their bytes; a single message may have any length.
    package var messages = 256
    package var bytes = 2 << 20
    /// Bytes after which a streaming response ends and the client asks for another, so that the page can free its text.
    package var response = 131_072
    /// Between two heartbeats of a response.
    package var heartbeat = MonotonicTime.Span.seconds(25)
    /// How long the session waits for a receiver.
    package var patience = MonotonicTime.Span.seconds(5)

    package init() {}
  }

  package enum Transport: Hashable, Sendable {
    /// `xhr_streaming`: one response carries many frames.
    case streaming
    /// `xhr`: a response carries what waits, at least one frame.
    case polling
  }

  /// What a receiver does next.
  package enum Step: Hashable, Sendable {
    case write(String)
    /// The last text of the response.
    case finish(String)
    case wait
  }

  /// The number of a receiver, never used twice.
  package typealias Receiver = UInt64

  /// The beginning of every streaming response: some browsers show a page nothing before the first 2 KiB.
  private static let prelude = String(repeating: "h", count: 2_048) + "\n"
  /// The frame for a response while another one is the receiver.
  package static let taken = SockJSFrame.close(code: 2010, reason: "Another connection still open")

  private struct Current {
    let number: Receiver
    let transport: Transport
    var hasBegun = false
    var written = 0
    var lastWrite: MonotonicTime
  }

  private let limits: Limits
  private var current: Current?
  private var receivers: Receiver = 0
  private var isOpened = false
  private var messages: [String] = []
  private var bytes = 0
  private var closing: String?
  /// When the last receiver left; nil while there is one.
  private var unheardSince: MonotonicTime?

  package init(limits: Limits = Limits(), at now: MonotonicTime) {
    self.limits = limits
    unheardSince = now
  }

  package var isClosed: Bool { closing != nil }

  /// Makes a response the receiver; nil if there is another one, unless the session is closed.
  package mutating func attach(_ transport: Transport, at now: MonotonicTime) -> Receiver? {
    guard current == nil || isClosed else { return nil }
    receivers &+= 1
    current = Current(number: receivers, transport: transport, lastWrite: now)
    unheardSince = nil
    return receivers
  }

  /// The whole response that tells a client of another receiver.
  package static func refusal(_ transport: Transport) -> String {
    (transport == .streaming ? prelude : "") + taken + "\n"
  }

  /// Queues a message for the client; false if too much waits, after which the session has to be closed.
  package mutating func put(_ message: String) -> Bool {
    guard !isClosed else { return true }
    let size = message.utf8.count
    guard messages.count < limits.messages, messages.isEmpty || size <= limits.bytes &- bytes else { return false }
    messages.append(message)
    bytes &+= size
    return true
  }

  /// Ends the session; every response from now on says so, after the messages that wait.
  package mutating func close(code: UInt16, reason: String, discardingMessages: Bool = false) {
    guard !isClosed else { return }
    closing = SockJSFrame.close(code: code, reason: reason)
    if discardingMessages { (messages, bytes) = ([], 0) }
  }

  /// What the receiver writes now.
  package mutating func next(for number: Receiver, at now: MonotonicTime) -> Step {
    guard var receiver = current, receiver.number == number else { return .finish("") }
    var text = receiver.transport == .streaming && !receiver.hasBegun ? SockJSSession.prelude : ""
    receiver.hasBegun = true
    let frames = frames(dueSince: receiver.lastWrite, at: now)
    text += frames
    if !text.isEmpty {
      receiver.written &+= text.utf8.count
      receiver.lastWrite = now
    }
    current = receiver
    let isFull =
      switch receiver.transport {
      case .polling: !frames.isEmpty
      case .streaming: receiver.written >= limits.response
      }
    if isFull || isClosed { return .finish(text) }
    return text.isEmpty ? .wait : .write(text)
  }

  /// All frames that wait, each on a line.
  private mutating func frames(dueSince lastWrite: MonotonicTime, at now: MonotonicTime) -> String {
    var text = ""
    if !isOpened {
      isOpened = true
      text += SockJSFrame.open + "\n"
    }
    if !messages.isEmpty {
      text += SockJSFrame.messages(messages) + "\n"
      (messages, bytes) = ([], 0)
    }
    if let closing {
      text += closing + "\n"
    } else if text.isEmpty, now - lastWrite >= limits.heartbeat {
      text = SockJSFrame.heartbeat + "\n"
    }
    return text
  }

  /// The receiver has ended; `isIntact` if the client has got all of it.
  package mutating func detach(_ number: Receiver, isIntact: Bool, at now: MonotonicTime) {
    guard current?.number == number else { return }
    current = nil
    unheardSince = now
    if !isIntact { close(code: 1002, reason: "Connection interrupted", discardingMessages: true) }
  }

  /// True if the receiver should ask for its next step although nothing was queued.
  package func isHeartbeatDue(at now: MonotonicTime) -> Bool {
    current.map { now - $0.lastWrite >= limits.heartbeat } ?? false
  }

  /// True once nobody has come for the frames for too long.
  package func isOver(at now: MonotonicTime) -> Bool {
    unheardSince.map { now - $0 >= limits.patience } ?? false
  }
}
