import Machines

@testable import Signaling

/// The server's machine of any dialect in virtual time, and the shell of a few lines around it.
///
/// A dialect's own rig is a name for this with an extension: what its clients say, and what its seat answers. The rules that all
/// dialects share are tested with `SessionRig`.
struct DialectRig<Speaker: Dialect & ~Copyable>: ~Copyable {
  typealias Words = Speaker.Words
  typealias Output = ConversationOutput<Words>

  static var link: LinkNumber { LinkNumber(1) }

  var server: Speaker
  var now: MonotonicTime
  /// The last operation and the last join that the machine has asked for.
  private(set) var lastOperation: Words.Ticket?
  private(set) var lastJoin: (ticket: Words.Ticket, entry: Words.Entry)?
  private var count: Int64 = 0

  init(_ server: consuming Speaker, at now: MonotonicTime = MonotonicTime(nanoseconds: 0)) {
    self.server = server
    self.now = now
  }

  /// A new number for a request: 1 and on.
  mutating func newID() -> Int64 {
    count += 1
    return count
  }

  mutating func feed(_ input: Speaker.Input) -> [Output] {
    server.handle(input, at: now)
    return drain()
  }

  mutating func drain() -> [Output] {
    var outputs: [Output] = []
    while let output = server.next() {
      outputs.append(output)
      switch output {
      case .perform(let ticket, _): lastOperation = ticket
      case .join(let ticket, let entry): lastJoin = (ticket, entry)
      default: break
      }
    }
    return outputs
  }

  /// The client says a text.
  mutating func say(_ text: String, from link: LinkNumber = LinkNumber(1)) -> [Output] { feed(.text(text, from: link)) }

  /// Something happens in the room.
  mutating func tell(_ event: Words.Event) -> [Output] { feed(.event(event)) }

  /// The seat answers the last operation.
  mutating func answer(_ reply: Words.Reply) -> [Output] {
    guard let lastOperation else { return [] }
    return feed(.replied(lastOperation, reply))
  }

  /// The seat refuses the last operation.
  mutating func refuse(_ refusal: Words.Refusal) -> [Output] {
    guard let lastOperation else { return [] }
    return feed(.refused(lastOperation, refusal))
  }

  /// The seat answers the last join.
  mutating func enter(_ welcome: (Words.Entry) -> Words.Welcome) -> [Output] {
    guard let lastJoin else { return [] }
    return feed(.joined(lastJoin.ticket, welcome(lastJoin.entry)))
  }

  mutating func advance(by span: MonotonicTime.Span) -> [Output] {
    now = now + span
    server.advance(to: now)
    return drain()
  }
}

/// An output of some dialect, for what tests want to know of all.
protocol SpokenOutput {
  associatedtype Words: Vocabulary
  var spoken: ConversationOutput<Words> { get }
}

extension ConversationOutput: SpokenOutput {
  var spoken: ConversationOutput<Words> { self }
}

extension Array where Element: SpokenOutput {
  /// The texts that go to the client unasked.
  var texts: [String] {
    compactMap { if case .notify(let text) = $0.spoken { text } else { nil } }
  }

  /// The responses to requests.
  var responses: [String] {
    compactMap { if case .answer(let text, _) = $0.spoken { text } else { nil } }
  }

  /// Both, in their order.
  var said: [String] {
    compactMap {
      switch $0.spoken {
      case .notify(let text), .answer(let text, _): text
      default: nil
      }
    }
  }

  /// Everything that is asked of the seat.
  var performed: [(operation: Element.Words.Ticket, command: Element.Words.Command)] {
    compactMap { if case .perform(let operation, let command) = $0.spoken { (operation, command) } else { nil } }
  }

  /// The operation that the first output asks for.
  var operation: Element.Words.Ticket? {
    switch first?.spoken {
    case .join(let operation, _), .perform(let operation, _): operation
    default: nil
    }
  }

  var entries: [Element.Words.Entry] {
    compactMap { if case .join(_, let entry) = $0.spoken { entry } else { nil } }
  }

  /// The code with which the session ended.
  var end: UInt16? {
    for output in self { if case .end(let code, _) = output.spoken { return code } }
    return nil
  }

  /// The code with which a link was closed.
  var closed: UInt16? {
    for output in self { if case .close(_, let code, _) = output.spoken { return code } }
    return nil
  }
}

extension [String] {
  /// The objects among texts of JSON.
  var objects: [JSONObject] { compactMap { (try? JSONValue(parsing: $0))?.object } }
}
