import Glibc
import NIOPosix
import Synchronization

/// Leaves one event loop free of reads: a disk that hangs holds up the others at most.
///
/// It counts loops, not cores: in a container there may be fewer.
final class LoopShare: Sendable {
  /// How often to try, and the pause between, in microseconds: others read for the length of a page.
  private static let (tries, pause): (Int, UInt32) = (8, 50)

  private let most: Int
  private let readers = Atomic(0)

  /// - Parameter loops: number of event loops that connections have.
  init(loops: Int = Array(MultiThreadedEventLoopGroup.singleton.makeIterator()).count) {
    most = max(0, loops - 1)
  }

  /// Runs `read` on the caller's loop; nil if all loops but this one are reading and stay at it.
  func run<Value>(_ read: () -> Value?) -> Value? {
    guard most > 0, enters() else { return nil }
    defer { readers.subtract(1, ordering: .releasing) }
    return read()
  }

  private func enters() -> Bool {
    for attempt in 1...LoopShare.tries {
      if readers.add(1, ordering: .acquiring).newValue <= most { return true }
      readers.subtract(1, ordering: .relaxed)
      if attempt < LoopShare.tries { usleep(LoopShare.pause) }
    }
    return false
  }
}
