import Synchronization

/// Bytes on their way from a socket into the room: the reader waits while there are too many.
///
/// It bounds what one connection holds, and loses nothing: a socket that is not read makes its sender wait.
final class ByteBudget: Sendable {
  private struct State {
    var bytes = 0
    var isLifted = false
    var reader: CheckedContinuation<Void, Never>?
  }

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) {
    self.limit = limit
  }

  /// Bytes are on their way; never waits.
  func add(_ count: Int) { state.withLock { $0.bytes += count } }

  /// They have been taken.
  func remove(_ count: Int) {
    let limit = limit
    let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.bytes -= count
      guard state.bytes <= limit else { return nil }
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }

  /// Returns once there is room. Only one task may wait at a time; its cancellation lifts the limit for good.
  func room() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isRoom = state.withLock { state in
          guard state.bytes > limit, !state.isLifted else { return true }
          state.reader = continuation
          return false
        }
        if isRoom { continuation.resume() }
      }
    } onCancel: {
      lift()
    }
  }

  /// Nobody takes anything any more: nobody waits, either.
  func lift() {
    let reader = state.withLock { state in
      state.isLifted = true
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }
}
