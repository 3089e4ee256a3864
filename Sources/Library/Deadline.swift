import Dispatch
import Machines
import Synchronization

/// Waits with a time limit that holds whatever the awaited operation does.
///
/// A task group with a sleep is not suitable: it waits for all its tasks, including one that hangs in the index.
/// Writes at the end of the service must also not fail because their task was cancelled.
package enum Deadline {
  /// Passes `begin` a closure to call once with the value; returns nil if that has not happened within `span`.
  package static func wait<Value: Sendable>(
    _ span: MonotonicTime.Span, _ begin: (@escaping @Sendable (Value) -> Void) -> Void
  ) async -> Value? {
    await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
      let waiting = Waiting(continuation)
      begin { waiting.resume($0) }
      DispatchQueue.global().asyncAfter(deadline: .now() + span.seconds) { waiting.resume(nil) }
    }
  }

  /// Returns or throws the outcome of `body`; nil if it takes longer than `span`. It is then cancelled and abandoned.
  package static func race<Value: Sendable>(
    _ span: MonotonicTime.Span, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value? {
    let task = Mutex<Task<Void, Never>?>(nil)
    let result = await wait(span) { (done: @escaping @Sendable (Result<Value, any Error>) -> Void) in
      // Not a child task: `race` returns at the deadline, whether or not the body heeds its cancellation.
      let running = Task {
        do { done(.success(try await body())) } catch { done(.failure(error)) }
      }
      task.withLock { $0 = running }
    }
    if result == nil { task.withLock { $0?.cancel() } }
    return try result?.get()
  }

  /// A pause that cancellation does not shorten.
  package static func pause(_ span: MonotonicTime.Span) async {
    let _: Void? = await wait(span) { _ in }
  }

  /// Resumed by whichever event comes first.
  private final class Waiting<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value?, Never>?>

    init(_ continuation: CheckedContinuation<Value?, Never>) {
      self.continuation = Mutex(continuation)
    }

    func resume(_ value: Value?) {
      let waiting = continuation.withLock { waiting in
        defer { waiting = nil }
        return waiting
      }
      waiting?.resume(returning: value)
    }
  }
}
