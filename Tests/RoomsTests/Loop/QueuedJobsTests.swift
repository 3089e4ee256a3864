import Glibc
import Machines
import Recording
import Testing

@testable import Rooms

/// What arrives by other means than sockets is a job of the loop, and may wait like a datagram.
@Suite(.timeLimit(.minutes(1))) struct QueuedJobsTests {
  private actor Player {
    private let loop: MediaLoop
    private var hasRun = false
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(on loop: MediaLoop) { self.loop = loop }

    /// Holds the loop until a deadline is due, and queues a job. True if it has run once the loop says that it has read
    /// everything of that time.
    func hasRunInTime() async -> Bool {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        var queued: MonotonicTime?
        var ticker: Ticker?
        ticker = Ticker(loop: loop, interval: .milliseconds(1)) { _ in
          guard let time = queued, self.loop.readThrough >= time else { return }
          ticker?.stop()
          ticker = nil
          continuation.resume(returning: self.hasRun)
        }
        usleep(5_000)
        // It is queued at once, on the loop of this actor.
        Task { self.hasRun = true }
        queued = MonotonicClock.now
      }
    }
  }

  @Test func aJobThatWaitsIsNotOvertakenByADeadline() async throws {
    let hasRun = await Player(on: try MediaLoop(name: "queued-jobs")).hasRunInTime()
    #expect(hasRun)
  }
}
