import Dispatch
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

  /// Keeps its loop busy until it is released.
  actor Blocker {
    let loop: MediaLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    init(loop: MediaLoop) { self.loop = loop }

    func block(
      until released: DispatchSemaphore, first: @escaping @Sendable () -> Void, then: @escaping @Sendable () -> Void
    ) {
      first()
      released.wait()
      then()
    }
  }

  /// In the order in which they happened.
  final class Events: Sendable {
    private let noted = Mutex<[String]>([])
    var all: [String] { noted.withLock { $0 } }
    func note(_ event: String) { noted.withLock { $0.append(event) } }
  }

  @Test func loopsThatHangDoNotRespond() async throws {
    let loops = try MediaLoops(count: 2, name: "test-loop")
    await loops.respond()
    // The first loop is leased by nobody, the second one hangs.
    _ = loops.lease()
    let blocker = Blocker(loop: loops.lease())
    let released = DispatchSemaphore(value: 0)
    let events = Events()
    let (begun, begins) = AsyncStream<Void>.makeStream()
    let blocking = Task {
      await blocker.block(until: released) {
        begins.finish()
      } then: {
        events.note("released")
      }
    }
    for await _ in begun {}
    let responding = Task {
      await loops.respond()
      events.note("responded")
    }
    released.signal()
    await responding.value
    await blocking.value
    #expect(events.all == ["released", "responded"])
  }
}
