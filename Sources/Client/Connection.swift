import Machines
import Recording
import Signaling
import Synchronization

/// The client's end of a link in any dialect: questions wait for their answers, and what the server says by itself is a
/// stream.
///
/// Calls from several tasks may overlap. A link that is lost stays lost: what comes back by itself is a bot
/// (`Server/Bots`), and nothing else here needs to.
package final class Connection<Speaker: ClientDialect>: Sendable {
  /// What the server says by itself; ends with the link.
  package let events: AsyncStream<Speaker.News>

  private struct State {
    var client: DialectClient<Speaker>
    var waiting: [Speaker.Number: CheckedContinuation<Speaker.Answer, any Error>] = [:]
    var closed: LinkClosed?
  }

  private let state: Mutex<State>
  private let news: AsyncStream<Speaker.News>.Continuation
  private let outgoing: AsyncStream<String>.Continuation

  private init(limits: JSONLimits, _ outgoing: AsyncStream<String>.Continuation) {
    // Queued for a slow reader; the service drops clients that fall further behind, too.
    (events, news) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1_024))
    state = Mutex(State(client: DialectClient(limits: limits)))
    self.outgoing = outgoing
  }

  /// Opens a link, runs `body` with it, and closes it.
  /// - Throws: errors of `body`, `LinkClosed` if the server refuses the link, `IOError` if it cannot be reached.
  package static func with<Result: Sendable>(
    _ link: TextLink, _ body: (Connection) async throws -> Result
  ) async throws -> Result {
    let (texts, outgoing) = AsyncStream.makeStream(of: String.self)
    let (openings, opening) = AsyncStream.makeStream(of: Void.self)
    let connection = Connection(limits: link.limits, outgoing)
    async let carrying: Void = connection.carry(link, texts, opening)
    guard await openings.first(where: { _ in true }) != nil else {
      try await carrying
      throw LinkClosed.broken
    }
    let result: Result
    do {
      result = try await body(connection)
    } catch {
      outgoing.finish()
      _ = try? await carrying
      throw error
    }
    outgoing.finish()
    _ = try? await carrying
    return result
  }

  private func carry(
    _ link: TextLink, _ texts: AsyncStream<String>, _ opening: AsyncStream<Void>.Continuation
  ) async throws {
    defer { opening.finish() }
    do {
      end(
        try await link.run(texts, opened: { opening.yield() }) { text in
          self.hear(text)
          return true
        })
    } catch {
      end(.broken)
      throw error
    }
  }

  /// Asks the server and waits for its answer.
  /// - Throws: the dialect's refusal, `ProtocolViolation` for an answer that cannot be read, `LinkClosed`.
  package func ask(_ question: Speaker.Question) async throws -> Speaker.Answer {
    try await withCheckedThrowingContinuation { continuation in
      let closed = state.withLock { state -> LinkClosed? in
        if let closed = state.closed { return closed }
        state.waiting[state.client.ask(question, at: MonotonicClock.now)] = continuation
        // A question only produces its text; answers arrive through reading.
        while case .send(let text) = state.client.next() { outgoing.yield(text) }
        return nil
      }
      if let closed { continuation.resume(throwing: closed) }
    }
  }

  private func hear(_ text: String) {
    var answers: [(CheckedContinuation<Speaker.Answer, any Error>, Result<Speaker.Answer, any Error>)] = []
    state.withLock { state in
      state.client.handle(.text(text), at: MonotonicClock.now)
      func answer(_ number: Speaker.Number?, _ result: Result<Speaker.Answer, any Error>) {
        // Without a number it is not for us: a newer service may say what this client does not know.
        guard let number, let waiting = state.waiting.removeValue(forKey: number) else { return }
        answers.append((waiting, result))
      }
      while let output = state.client.next() {
        switch output {
        case .send(let text): outgoing.yield(text)
        case .answer(let number, let given): answer(number, .success(given))
        case .refused(let number, let refusal): answer(number, .failure(refusal))
        case .violation(let number, let violation): answer(number, .failure(violation))
        case .news(let event): news.yield(event)
        }
      }
    }
    for (waiting, result) in answers { waiting.resume(with: result) }
  }

  private func end(_ closed: LinkClosed) {
    let waiting = state.withLock { state in
      state.closed = closed
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume(throwing: closed) }
    news.finish()
    outgoing.finish()
  }

  /// The reason why the link ended; nil while it is open.
  package var closed: LinkClosed? { state.withLock { $0.closed } }
}
