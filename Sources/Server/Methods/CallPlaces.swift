import DequeModule
import Synchronization

/// A number of places for calls; who finds none waits in line.
final class CallPlaces: Sendable {
  private struct Waiter {
    var number: UInt64
    var continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var free: Int
    var waiters = Deque<Waiter>()
    var lastNumber: UInt64 = 0
    /// Cancelled before they could wait.
    var cancelled: Set<UInt64> = []
  }

  private let state: Mutex<State>

  init(_ count: Int) {
    state = Mutex(State(free: count))
  }

  /// Those who wait.
  var waiting: Int { state.withLock { $0.waiters.count } }

  /// Takes a place, and gives it up after `body`.
  /// - Throws: `CancellationError` while it waits, and errors of `body`.
  func use<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    guard await enter() else { throw CancellationError() }
    defer { leave() }
    return try await body()
  }

  /// False if the task was cancelled first.
  private func enter() async -> Bool {
    let number = state.withLock { state in
      state.lastNumber &+= 1
      return state.lastNumber
    }
    let isIn = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let outcome = state.withLock { state -> Bool? in
          if state.cancelled.remove(number) != nil { return false }
          guard state.free == 0 else {
            state.free -= 1
            return true
          }
          state.waiters.append(Waiter(number: number, continuation: continuation))
          return nil
        }
        if let outcome { continuation.resume(returning: outcome) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> Waiter? in
        guard let place = state.waiters.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.waiters.remove(at: place)
      }
      waiter?.continuation.resume(returning: false)
    }
    // A cancellation after the entry leaves its number behind.
    state.withLock { _ = $0.cancelled.remove(number) }
    return isIn
  }

  private func leave() {
    let next = state.withLock { state -> Waiter? in
      guard let first = state.waiters.popFirst() else {
        state.free += 1
        return nil
      }
      return first
    }
    next?.continuation.resume(returning: true)
  }
}
