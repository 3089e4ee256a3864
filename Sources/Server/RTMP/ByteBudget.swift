import Synchronization

/// Bytes on their way from a socket into the room: the reader waits while there are too many.
///
/// It bounds the memory of one connection without loss: if a socket is not read, its sender waits.
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

  /// Adds bytes in flight; never waits.
  func add(_ count: Int) { state.withLock { $0.bytes += count } }

  /// Removes consumed bytes.
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

  /// Lifts the limit, because the consumer is gone.
  func lift() {
    let reader = state.withLock { state in
      state.isLifted = true
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }
}

/// Bytes that wait for a client to read: above the limit, the client is too slow and is cut off.
final class OutgoingBytes: Sendable {
  private struct State {
    var bytes = 0
    var isClosed = false
  }

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) {
    self.limit = limit
  }

  /// The bytes that wait, of which a large piece counts as half of the limit.
  var count: Int { state.withLock { $0.bytes } }

  /// Adds a piece; false if too many bytes wait. A large piece counts as half of the limit: the state of a room may be
  /// larger, and has to reach a client that reads.
  func add(_ count: Int) -> Bool {
    state.withLock { state in
      guard !state.isClosed, weight(count) <= limit - state.bytes else { return false }
      state.bytes += weight(count)
      return true
    }
  }

  /// Removes a piece that was sent.
  func remove(_ count: Int) { state.withLock { $0.bytes -= weight(count) } }

  private func weight(_ count: Int) -> Int { min(max(0, count), limit / 2) }

  /// Takes no more; true the first time.
  func close() -> Bool {
    state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
  }
}
