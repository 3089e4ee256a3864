import Machines

/// A bot in a room of a dialect that has a `ClientDialect`: the dialect says the words, and the visit is the same.
package protocol DialectGuests: GuestMachine, ~Copyable {
  associatedtype Words: ClientDialect

  /// What the dialect is called in a fault.
  static var dialect: String { get }
  var client: DialectClient<Words> { get set }
  /// What is answered later, besides the sign of life.
  var asked: [Words.Number: GuestQuestion] { get set }
  /// The question that asks for a place in the room.
  var entrance: Words.Question { get }
  /// A question that every server answers.
  var sign: Words.Question { get }

  /// The words for an offer, a candidate, a text or the goodbye; nil where the dialect has none.
  func words(for input: GuestInput) -> Words.Question?

  mutating func take(_ answer: Words.Answer, to question: GuestQuestion)

  mutating func take(_ news: Words.News, at now: MonotonicTime)

  /// The room does not let the bot in.
  mutating func turnedAway(_ refusal: Words.Refusal, at now: MonotonicTime)
}

/// What a bot has asked.
package enum GuestQuestion: Sendable {
  case join
  case hear(GuestKey)
}

extension DialectGuests where Self: ~Copyable {
  package mutating func begin(at now: MonotonicTime) {
    asked[ask(entrance, at: now)] = .join
    drain(at: now)
  }

  package mutating func giveSign(at now: MonotonicTime) {
    _ = ask(sign, at: now)
    drain(at: now)
  }

  package mutating func handle(_ input: GuestInput, at now: MonotonicTime) {
    guard !visit.isOver else { return }
    switch input {
    case .text(let text):
      visit.heard(at: now)
      client.handle(.text(text), at: now)
    case .lost(let key): lose(key, at: now)
    case .offer(let key, _):
      guard visit.guests[key] != nil, let words = words(for: input) else { return }
      asked[ask(words, at: now)] = .hear(key)
      visit.guests.asked(key, at: now)
    case .candidate(let key, _) where visit.guests[key] == nil: break
    case .candidate, .say, .leave, .answer: if let words = words(for: input) { _ = ask(words, at: now) }
    }
    drain(at: now)
    if case .leave = input, !visit.isOver { visit.end(.left) }
  }

  /// Passes on what the client has to send, and what it has read.
  private mutating func drain(at now: MonotonicTime) {
    while !visit.isOver, let output = client.next() {
      switch output {
      case .send(let text): visit.append(.send(text))
      case .answer(let number, let answer):
        if let question = asked.removeValue(forKey: number) { take(answer, to: question) }
      case .refused(let number, let refusal):
        switch number.flatMap({ asked.removeValue(forKey: $0) }) {
        case .join: turnedAway(refusal, at: now)
        case .hear(let key): lose(key, at: now)
        case nil: break
        }
      case .news(let news): take(news, at: now)
      case .violation(_, let violation):
        visit.end(GuestFault(.nonsense, "the server does not speak \(Self.dialect): \(violation)"))
      }
    }
  }

  private mutating func ask(_ question: Words.Question, at now: MonotonicTime) -> Words.Number {
    visit.asked(at: now)
    return client.ask(question, at: now)
  }
}
