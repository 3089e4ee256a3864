/// Wakes whoever reads the feed.
package final class EventReader: Sendable {
  /// A mark for "there is something new", or for `wake()`; ends with `end()`.
  package let wakes: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let leave: @Sendable () -> Void

  init(
    wakes: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation, leave: @escaping @Sendable () -> Void
  ) {
    self.wakes = wakes
    self.continuation = continuation
    self.leave = leave
  }

  deinit { end() }

  /// Wakes the reader though nothing happened.
  package func wake() { continuation.yield() }

  /// Ends `wakes`, after a mark that is there already, and gives the place among the readers back.
  package func end() {
    leave()
    continuation.finish()
  }
}
