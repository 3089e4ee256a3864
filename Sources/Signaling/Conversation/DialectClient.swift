import Machines

/// The client's side of one link, in any dialect: questions become texts, and texts answers and news.
package struct DialectClient<Words: ClientDialect>: Machine {
  package enum Input: Sendable {
    /// A text message of the server.
    case text(String)
  }

  package enum Output: Hashable, Sendable {
    /// A text message for the server.
    case send(String)
    case answer(Words.Number, Words.Answer)
    /// The server refused a question; without a number it could not read our text.
    case refused(Words.Number?, Words.Refusal)
    case news(Words.News)
    /// The server violated the protocol; with a number, in its answer to that question, which gets no other.
    case violation(Words.Number?, ProtocolViolation)
  }

  private let limits: JSONLimits
  private var count: Int64 = 0
  private var pending: [Words.Number: (question: Words.Question, askedAt: MonotonicTime)] = [:]
  private var outputs = OutputQueue<Output>()

  package init(limits: JSONLimits = .received) {
    self.limits = limits
  }

  package var deadline: MonotonicTime? { nil }

  package mutating func advance(to now: MonotonicTime) {}

  package mutating func next() -> Output? { outputs.next() }

  /// Queues a question; its answer or refusal repeats the number.
  package mutating func ask(_ question: Words.Question, at now: MonotonicTime) -> Words.Number {
    let number = Words.number(count)
    count &+= 1
    pending[number] = (question, now)
    outputs.append(.send(Words.text(of: question, number, at: now)))
    return number
  }

  package mutating func handle(_ input: Input, at now: MonotonicTime) {
    guard case .text(let text) = input else { return }
    do {
      let value = try JSONValue(parsing: text, limits: limits)
      guard let object = value.object else {
        throw ProtocolViolation("a message is \(value.kind), not an object")
      }
      switch try Words.read(object) {
      case .result(let number, let result): try take(result, of: number, at: now)
      case .refused(let number, let refusal):
        if let number { pending[number] = nil }
        outputs.append(.refused(number, refusal))
      case .news(let news): outputs.append(.news(news))
      case nil: break
      }
    } catch {
      outputs.append(.violation(nil, ProtocolViolation("\(error)")))
    }
  }

  private mutating func take(_ result: JSONValue, of number: Words.Number?, at now: MonotonicTime) throws {
    guard let number, let (question, askedAt) = pending.removeValue(forKey: number) else {
      throw ProtocolViolation("an answer belongs to no request of ours")
    }
    do {
      outputs.append(.answer(number, try Words.answer(result, to: question, askedAt: askedAt, at: now)))
    } catch {
      outputs.append(.violation(number, ProtocolViolation("\(error)")))
    }
  }
}
