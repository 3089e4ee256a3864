import Machines
import Recording
import Synchronization
import Testing

@testable import Rooms

@Suite(.timeLimit(.minutes(5))) struct MediaLoopTests {
  /// Counts on its loop's thread; a data race here would be a broken executor.
  actor Counter {
    let loop: MediaLoop
    var count = 0
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    init(loop: MediaLoop) { self.loop = loop }
    func add() { count += 1 }
    var isOnLoop: Bool { loop.isCurrent }
  }

  @Test func actorsOfALoopRunOnItsThread() async throws {
    let loop = try MediaLoop(name: "test-loop")
    let counter = Counter(loop: loop)
    #expect(await counter.isOnLoop)
    #expect(!loop.isCurrent)
  }

  @Test func jobsFromManyThreadsAllRun() async throws {
    let loop = try MediaLoop(name: "test-loop")
    let counter = Counter(loop: loop)
    await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { for _ in 0..<500 { await counter.add() } } }
    }
    #expect(await counter.count == 4_000)
  }

  /// Makes a ticker on the loop and tells when it has ticked.
  actor Clockwork {
    let loop: MediaLoop
    var ticker: Ticker?
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    init(loop: MediaLoop) { self.loop = loop }

    func ticks(_ wanted: Int, every interval: MonotonicTime.Span) async -> [MonotonicTime] {
      await withCheckedContinuation { (continuation: CheckedContinuation<[MonotonicTime], Never>) in
        var times: [MonotonicTime] = []
        ticker = Ticker(loop: loop, interval: interval) { [weak self] now in
          times.append(now)
          guard times.count == wanted else { return }
          self?.assumeIsolated { $0.ticker?.stop() }
          continuation.resume(returning: times)
        }
      }
    }
  }

  @Test func aTickerTicksInOrderAndNeverEarly() async throws {
    let loop = try MediaLoop(name: "test-loop")
    let start = MonotonicClock.now
    let times = await Clockwork(loop: loop).ticks(10, every: .milliseconds(5))
    #expect(times == times.sorted())
    for (index, time) in times.enumerated() {
      #expect(time >= start + .milliseconds(Int64(index + 1) * 5))
    }
  }
}
