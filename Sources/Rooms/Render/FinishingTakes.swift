import Library
import Machines
import Synchronization

/// Counts the takes that are being finished: musicians wait for these, and for nothing that can wait until they are.
final class FinishingTakes: Sendable {
  private struct State {
    var count = 0
    var last: UInt64 = 0
    var waiting: [UInt64: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  /// For tests.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  func begin() { state.withLock { $0.count += 1 } }

  func end() {
    let waiting = state.withLock { state in
      state.count -= 1
      return state.count == 0 ? Array(state.waiting.values) : []
    }
    for act in waiting { act() }
  }

  /// Waits until no take is being finished, `limit` at most: a large service always has one.
  func settled(within limit: MonotonicTime.Span) async {
    let number = state.withLock { state in
      state.last &+= 1
      return state.last
    }
    let _: Void? = await Deadline.wait(limit) { done in
      let waits = state.withLock { state in
        guard state.count > 0 else { return false }
        state.waiting[number] = { done(()) }
        return true
      }
      if !waits { done(()) }
    }
    state.withLock { $0.waiting[number] = nil }
  }
}
