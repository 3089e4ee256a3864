import DequeModule
import Dispatch
import Library
import Machines
import Music
import Synchronization

/// One write that waits for the index, and everybody who waits for its end.
final class IndexWrite: Sendable {
  typealias Work = @Sendable (any TakeIndex) async throws -> Void
  typealias Outcome = Result<Void, any Error>

  private struct State {
    var outcome: Outcome?
    var isGivenUp = false
    var waiters: [@Sendable (Outcome) -> Void] = []
  }

  private let work: Work
  private let state = Mutex(State())

  init(_ work: @escaping Work) {
    self.work = work
  }

  /// Carries it out, unless nobody wants it any more.
  func run(on index: any TakeIndex) async throws {
    guard !state.withLock({ $0.isGivenUp }) else { return }
    try await work(index)
  }

  /// Nobody wants it any more; it may have happened already.
  func giveUp() {
    state.withLock { $0.isGivenUp = true }
  }

  func end(_ outcome: Outcome) {
    let waiters = state.withLock { state in
      guard state.outcome == nil else { return [@Sendable (Outcome) -> Void]() }
      state.outcome = outcome
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter(outcome) }
  }

  /// Waits for the end.
  func outcome() async -> Outcome {
    await withCheckedContinuation { continuation in
      whenEnded { continuation.resume(returning: $0) }
    }
  }

  /// The same for so long at most; nil where it has not ended by then.
  func outcome(within span: MonotonicTime.Span) async -> Outcome? {
    await Deadline.wait(span) { done in self.whenEnded { done($0) } }
  }

  private func whenEnded(_ body: @escaping @Sendable (Outcome) -> Void) {
    let outcome = state.withLock { state in
      if state.outcome == nil { state.waiters.append(body) }
      return state.outcome
    }
    if let outcome { body(outcome) }
  }
}

/// What waits for the index, in the order in which it came.
///
/// Its length is bounded: where it would grow further, all of it gives way to one write that reads from the disk what the
/// index lacks.
struct WaitingWrites<Write> {
  /// Writes that wait at most. A take has four, and a session two: some two hundred takes.
  static var capacity: Int { 1_024 }

  private var writes: Deque<Write> = []
  private let capacity: Int

  init(capacity: Int = WaitingWrites.capacity) {
    self.capacity = capacity
  }

  var count: Int { writes.count }
  var isEmpty: Bool { writes.isEmpty }
  /// The one that is being carried out, until it is removed.
  var first: Write? { writes.first }

  /// Adds a write at the end.
  /// - Parameter merge: makes one write of many, which come in their order without the first: that may be under way.
  ///   Without it the length has no bound.
  mutating func add(_ write: Write, merge: (([Write]) -> Write)?) {
    if writes.count >= capacity, let merge, let first = writes.first {
      writes = [first, merge(Array(writes.dropFirst()))]
    }
    writes.append(write)
  }

  mutating func removeFirst() {
    _ = writes.popFirst()
  }

  /// Takes all of them out.
  mutating func removeAll() -> [Write] {
    defer { writes = [] }
    return Array(writes)
  }
}
