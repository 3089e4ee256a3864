import Machines
import Synchronization

/// Runs the edits of one process one at a time, in order of arrival.
///
/// The file lock alone goes to the edit that happens to try at the right moment: with many edits at once, unlucky ones
/// would wait until they time out.
package final class EditQueue: Sendable {
  private struct State {
    var isTaken = false
    /// Waiting edits, in FIFO order.
    var waiting: [(number: UInt64, isFree: @Sendable (Bool) -> Void)] = []
    var next: UInt64 = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Runs `body` after all earlier edits.
  /// - Throws: `LibraryError.busy` if they do not end within `patience`; errors of `body`.
  package func run<Value: Sendable>(within patience: MonotonicTime.Span, _ body: () async throws -> Value) async throws
    -> Value
  {
    guard await enters(within: patience) else { throw LibraryError.busy }
    defer { leave() }
    return try await body()
  }

  private func enters(within patience: MonotonicTime.Span) async -> Bool {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    let isFree: Bool? = await Deadline.wait(patience) { done in
      let isFree = state.withLock { state in
        guard state.isTaken else {
          state.isTaken = true
          return true
        }
        state.waiting.append((number, done))
        return false
      }
      if isFree { done(true) }
    }
    if isFree == true { return true }
    // This edit's turn may have come at this very moment; it then passes to the next.
    let isGone = state.withLock { state in
      guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return false }
      state.waiting.remove(at: index)
      return true
    }
    if !isGone { leave() }
    return false
  }

  private func leave() {
    let next = state.withLock { state in
      if state.waiting.isEmpty { state.isTaken = false }
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    next?.isFree(true)
  }
}
