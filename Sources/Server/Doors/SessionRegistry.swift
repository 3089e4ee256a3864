import Library
import ServiceLifecycle
import Signaling
import Synchronization

/// All sessions of one dialect by identifier, and their tasks.
final class SessionRegistry<Session: SignalingSession>: NamedService {
  private struct State {
    var sessions: [String: Session] = [:]
    var links: UInt64 = 0
  }

  private let limit: Int
  private let state = Mutex(State())
  private let opened: AsyncStream<Session>
  private let openings: AsyncStream<Session>.Continuation

  /// - Parameter limit: sessions at a time; higher than the limit of links, because a session outlives its link.
  init(limit: Int) {
    self.limit = limit
    (opened, openings) = AsyncStream.makeStream()
  }

  /// Runs the sessions until the shutdown.
  func run() async throws {
    await withDiscardingTaskGroup { group in
      for await session in opened.cancelOnGracefulShutdown() {
        group.addTask {
          await session.run()
          self.state.withLock { $0.sessions[session.id] = nil }
        }
      }
      group.cancelAll()
    }
  }

  var count: Int { state.withLock { $0.sessions.count } }

  /// A number for a new link or exchange.
  func nextLink() -> LinkNumber {
    state.withLock { state in
      state.links += 1
      return LinkNumber(state.links)
    }
  }

  /// Adds a session and runs it; nil if there are too many.
  func open(_ make: (_ id: String) -> Session) -> Session? {
    let session = make(SessionID.make())
    let isAdmitted = state.withLock { state in
      guard state.sessions.count < limit else { return false }
      state.sessions[session.id] = session
      return true
    }
    guard isAdmitted else { return nil }
    openings.yield(session)
    return session
  }

  func find(_ id: String) -> Session? {
    state.withLock { $0.sessions[id] }
  }
}

/// Session identifiers in Kurento's format: 130 random bits in base 32.
private enum SessionID {
  private static let digits = Array("0123456789abcdefghijklmnopqrstuv")
  private static let length = 26

  static func make() -> String {
    var generator = SystemRandomNumberGenerator()
    return String((0..<length).map { _ in digits.randomElement(using: &generator) ?? "0" })
  }
}
