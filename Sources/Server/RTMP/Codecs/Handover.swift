import Synchronization

/// Hands elements from one task to another, a few at a time: the giver waits while the taker is behind.
///
/// Unlike an `AsyncStream`, it survives the cancellation of a taker: the next one goes on.
final class Handover<Element: Sendable>: Sendable {
  private enum Side {
    case giver, taker
  }

  private struct State {
    var elements: [Element] = []
    var isOver = false
    var waiting: [Side: CheckedContinuation<Void, Never>] = [:]
  }

  private let capacity: Int
  private let state = Mutex(State())

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Gives an element; returns once there is room for the next. Only one task may give.
  /// - Throws: `CancellationError`.
  func give(_ element: Element) async throws {
    wake(.taker) { $0.elements.append(element) }
    while !state.withLock({ $0.isOver || $0.elements.count < capacity }) {
      try Task.checkCancellation()
      await wait(.giver)
    }
  }

  /// The next element; nil at the end, or if the task was cancelled. Only one task may take.
  func take() async -> Element? {
    while !Task.isCancelled {
      var (element, isOver): (Element?, Bool) = (nil, false)
      wake(.giver) { state in
        isOver = state.isOver
        if !state.elements.isEmpty { element = state.elements.removeFirst() }
      }
      if element != nil || isOver { return element }
      await wait(.taker)
    }
    return nil
  }

  /// Ends the elements; those that were given can still be taken.
  func finish() {
    wake(.taker) { $0.isOver = true }
    wake(.giver) { _ in }
  }

  private func wake(_ side: Side, after change: (inout State) -> Void) {
    let waiting = state.withLock { state in
      change(&state)
      return state.waiting.removeValue(forKey: side)
    }
    waiting?.resume()
  }

  /// True if that side has nothing to wait for.
  private func isFree(_ side: Side, _ state: State) -> Bool {
    switch side {
    case .giver: state.isOver || state.elements.count < capacity
    case .taker: state.isOver || !state.elements.isEmpty
    }
  }

  /// Waits until the other side, the end or cancellation wakes it.
  private func wait(_ side: Side) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isWaiting = state.withLock { state in
          // Asked under the lock: a cancellation before it has found nobody to wake.
          guard !isFree(side, state), !Task.isCancelled else { return false }
          state.waiting[side] = continuation
          return true
        }
        if !isWaiting { continuation.resume() }
      }
    } onCancel: {
      wake(side) { _ in }
    }
  }
}
