import Machines

@testable import Rooms

/// Beats on a media loop's thread in real time.
actor Metronome {
  private let loop: MediaLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(loop: MediaLoop) { self.loop = loop }

  /// Calls `beat` every 20 ms, `count` times.
  func count(_ count: Int, beat: @escaping @Sendable (Int) -> Void) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      var number = 0
      var ticker: Ticker?
      ticker = Ticker(loop: loop, interval: .milliseconds(20)) { _ in
        guard ticker != nil else { return }
        beat(number)
        number += 1
        guard number == count else { return }
        ticker?.stop()
        ticker = nil
        continuation.resume()
      }
    }
  }
}
