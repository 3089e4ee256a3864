import Synchronization

/// Counts the takes that are being finished: musicians wait for these, and for nothing that can wait until they are.
final class FinishingTakes: Sendable {
  private struct State {
    var count = 0
    var last: UInt64 = 0
    var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())

  /// For tests.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  func begin() { state.withLock { $0.count += 1 } }

  func end() {
    let waiting = state.withLock { state in
      state.count -= 1
      guard state.count == 0 else { return [UInt64: CheckedContinuation<Void, Never>]() }
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume() }
  }

  /// Waits until no take is being finished, `limit` at most: a large service always has one.
  func settled(within limit: Duration) async {
    let number = state.withLock { state in
      state.last &+= 1
      return state.last
    }
    let timer = Task {
      guard (try? await Task.sleep(for: limit)) != nil else { return }
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
    await withCheckedContinuation { continuation in
      let waits = state.withLock { state in
        guard state.count > 0 else { return false }
        state.waiting[number] = continuation
        return true
      }
      if !waits { continuation.resume() }
    }
    timer.cancel()
  }
}
