import Synchronization

/// The edits of one process, one after the other in the order in which they came.
///
/// The lock on the file alone is taken by whoever looks at the right moment: with many edits at once the unlucky would
/// wait until their patience ends.
final class EditQueue: Sendable {
  private struct State {
    var isTaken = false
    /// Who waits, the first first.
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Runs `body` when all who came before are done.
  func run<Value: Sendable>(_ body: () async throws -> Value) async rethrows -> Value {
    await enter()
    defer { leave() }
    return try await body()
  }

  private func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.isTaken else {
          state.isTaken = true
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  private func leave() {
    let next = state.withLock { state in
      if state.waiting.isEmpty { state.isTaken = false }
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    next?.resume()
  }
}
