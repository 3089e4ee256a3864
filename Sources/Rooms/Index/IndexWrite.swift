import DequeModule
import Dispatch
import Library
import Machines
import Music
import Synchronization

/// A write waiting for the index, and all tasks waiting for its outcome.
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

  /// Carries it out, unless it has been abandoned.
  func run(on index: any TakeIndex) async throws {
    guard !state.withLock({ $0.isGivenUp }) else { return }
    try await work(index)
  }

  /// Abandons it; it may already have happened.
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

  /// Waits for the outcome.
  func outcome() async -> Outcome {
    await withCheckedContinuation { continuation in
      whenEnded { continuation.resume(returning: $0) }
    }
  }

  /// The same with a time limit; nil if it has not ended by then.
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

/// Waiting writes, in FIFO order.
///
/// Their number is limited: beyond it, all are replaced by a single write that reads missing entries from disk.
struct WaitingWrites<Write> {
  /// Maximum number of waiting writes. A take has four and a session two, so this is some two hundred takes.
  static var capacity: Int { 1_024 }

  private var writes: Deque<Write> = []
  private let capacity: Int

  init(capacity: Int = WaitingWrites.capacity) {
    self.capacity = capacity
  }

  var count: Int { writes.count }
  var isEmpty: Bool { writes.isEmpty }
  /// The current write, until it is removed.
  var first: Write? { writes.first }

  /// Adds a write at the end.
  /// - Parameter merge: merges all writes except the first, which may be in progress, into one. Without it, the
  ///   number is not limited.
  mutating func add(_ write: Write, merge: (([Write]) -> Write)?) {
    if writes.count >= capacity, let merge, let first = writes.first {
      writes = [first, merge(Array(writes.dropFirst()))]
    }
    writes.append(write)
  }

  mutating func removeFirst() {
    _ = writes.popFirst()
  }

  /// Removes and returns all of them.
  mutating func removeAll() -> [Write] {
    defer { writes = [] }
    return Array(writes)
  }
}
