import Foundation

/// Blocks of samples on their way from one thread to another, a few at a time: the quicker of both waits.
///
/// Sendable because everything in it is touched only while `condition` is locked.
final class BlockQueue: @unchecked Sendable {
  /// Blocks that may wait: enough to even out two threads, few enough to stay in the processor's cache.
  private static let capacity = 4

  private let condition = NSCondition()
  private var blocks: [[Float]] = []
  private var isEnded = false
  private var isStopped = false
  private var failure: (any Error)?

  /// Hands a block over, waiting while too many wait; false where nobody takes blocks any more.
  /// - Throws: what stopped the receiver.
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

  /// The next block, waiting for it; nil at the end.
  /// - Throws: what ended the sender.
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

  /// Says that no block follows, because of `failure` or because it was the last.
  func end(_ failure: (any Error)? = nil) {
    condition.withLock {
      isEnded = true
      if self.failure == nil { self.failure = failure }
      condition.broadcast()
    }
  }

  /// True where the sender has ended without a failure and nobody has stopped.
  var isComplete: Bool { condition.withLock { isEnded && !isStopped && failure == nil } }

  /// Says that no block is taken any more; the other side's waiting ends.
  func stop(_ failure: (any Error)? = nil) {
    condition.withLock {
      isStopped = true
      if self.failure == nil { self.failure = failure }
      blocks = []
      condition.broadcast()
    }
  }
}
