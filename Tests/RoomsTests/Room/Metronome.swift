import Machines
import Recording

@testable import Rooms

/// Beats on a media loop's thread in real time.
actor Metronome {
  private let loop: MediaLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Calls back at even times. What a busy machine delays follows at once, as sound does that a device has recorded.
  private final class Beats: LoopSource {
    static let interval = MonotonicTime.Span.milliseconds(20)
    private let loop: MediaLoop
    private let body: (MonotonicTime) -> Bool
    private var id: MediaLoop.SourceID?
    private var next = MonotonicClock.now + interval

    /// - Parameter body: receives the time of the beat; false if there should be no other.
    init(loop: MediaLoop, body: @escaping (MonotonicTime) -> Bool) {
      self.loop = loop
      self.body = body
      let id = loop.add(self)
      self.id = id
      loop.wake(id, by: next)
    }

    func descriptorReady(_ descriptor: Int32, at now: MonotonicTime) -> MonotonicTime? { nil }

    func deadlineReached(at now: MonotonicTime) {
      guard let id else { return }
      while next <= now {
        guard body(next) else {
          self.id = nil
          return loop.remove(id)
        }
        next = next + Beats.interval
      }
      loop.wake(id, by: next)
    }
  }

  init(loop: MediaLoop) { self.loop = loop }

  /// Calls `beat` every 20 ms, `count` times, with a number and the time that it is for.
  func count(_ count: Int, beat: @escaping @Sendable (Int, MonotonicTime) -> Void) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      var number = 0
      _ = Beats(loop: loop) { time in
        beat(number, time)
        number += 1
        guard number == count else { return true }
        continuation.resume()
        return false
      }
    }
  }
}
