import Foundation

/// A short queue of blocks of samples between two threads; the faster one waits.
///
/// Sendable because all its state is accessed only while `condition` is locked.
final class BlockQueue: @unchecked Sendable {
  /// Maximum number of waiting blocks: enough to even out two threads, few enough to stay in the processor's cache.
  private static let capacity = 4

  private let condition = NSCondition()
  private var blocks: [[Float]] = []
  private var isEnded = false
  private var isStopped = false
  private var failure: (any Error)?

  /// Adds a block, waiting while the queue is full; false if the receiver has stopped.
  /// - Throws: the receiver's failure.
  func put(_ block: [Float]) throws -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while blocks.count >= BlockQueue.capacity, !isStopped { condition.wait() }
    if let failure, isStopped { throw failure }
    guard !isStopped else { return false }
    blocks.append(block)
    condition.broadcast()
    return true
  }

  /// Returns the next block, waiting for it; nil at the end.
  /// - Throws: the sender's failure.
  func next() throws -> [Float]? {
    condition.lock()
    defer { condition.unlock() }
    while blocks.isEmpty, !isEnded, !isStopped { condition.wait() }
    guard !blocks.isEmpty, !isStopped else {
      if let failure { throw failure }
      return nil
    }
    defer { condition.broadcast() }
    return blocks.removeFirst()
  }

  /// Ends the queue, either normally or with `failure`.
  func end(_ failure: (any Error)? = nil) {
    condition.withLock {
      isEnded = true
      if self.failure == nil { self.failure = failure }
      condition.broadcast()
    }
  }

  /// True if the sender has ended without a failure and nobody has stopped.
  var isComplete: Bool { condition.withLock { isEnded && !isStopped && failure == nil } }

  /// Stops receiving; a waiting sender is released.
  func stop(_ failure: (any Error)? = nil) {
    condition.withLock {
      isStopped = true
      if self.failure == nil { self.failure = failure }
      blocks = []
      condition.broadcast()
    }
  }
}
