import Glibc
import Machines
import Recording
import Testing

@testable import Rooms

@Suite(.timeLimit(.minutes(1))) struct LoopPriorityTests {
  /// Looks from a job of the loop.
  private actor Witness {
    private let loop: MediaLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(on loop: MediaLoop) { self.loop = loop }

    var policy: Int32 { sched_getscheduler(0) }

    /// Jobs of 2 ms, one behind the other, for as long as it comes before everybody else; the policy after that.
    func policyOnceTooBusy() async -> Int32 {
      while true {
        let policy = policy
        guard policy & 0xFFFF == SCHED_RR else { return policy }
        let step = MonotonicClock.now + .milliseconds(2)
        while MonotonicClock.now < step {}
        await Task.yield()
      }
    }

    /// Looks at ticks of the loop, until it is another than that of an ordinary thread.
    func policyOnceRested() async -> Int32 {
      await withCheckedContinuation { (continuation: CheckedContinuation<Int32, Never>) in
        ticker = Ticker(loop: loop, interval: .milliseconds(10)) { [weak self] _ in
          self?.assumeIsolated { witness in
            guard witness.policy & 0xFFFF != SCHED_OTHER, let ticker = witness.ticker else { return }
            ticker.stop()
            witness.ticker = nil
            continuation.resume(returning: witness.policy)
          }
        }
      }
    }
    private var ticker: Ticker?

    var niceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    /// What `chrt` says of a process that it starts.
    var wordsOnAChild: String? {
      guard let output = popen("chrt --pid $$", "r") else { return nil }
      defer { pclose(output) }
      var line = [CChar](repeating: 0, count: 256)
      guard fgets(&line, CInt(line.count), output) != nil else { return nil }
      return String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  /// True where this process may ask for it.
  private static let mayBeRealTime = popen("chrt --rr 1 true 2>&1", "r").map { pclose($0) == 0 } ?? false

  @Test(.enabled(if: mayBeRealTime)) func musicComesBeforeOrdinaryThreads() async throws {
    let witness = Witness(on: try MediaLoop(name: "music", priority: .realTime))
    // What it says of the calling thread, the flag included.
    #expect(await witness.policy & 0xFFFF == SCHED_RR)
    #expect(await witness.wordsOnAChild?.contains("SCHED_OTHER") == true)
  }

  /// A loop that never rests, as under a flood, leaves the processor to others; afterwards it has its right again.
  @Test(.enabled(if: mayBeRealTime)) func aLoopThatNeverRestsIsAnOrdinaryThread() async throws {
    let witness = Witness(on: try MediaLoop(name: "music", priority: .realTime))
    #expect(await witness.policyOnceTooBusy() & 0xFFFF == SCHED_OTHER)
    #expect(await witness.policyOnceRested() & 0xFFFF == SCHED_RR)
  }

  @Test func joinsOfAFullHouseAreWithinTheRightOfWay() {
    let start = MonotonicTime(nanoseconds: 1_000_000_000)
    var right = RightOfWay(at: start)
    // 0.25 s without a pause, in turns of 1 ms.
    for turn in 0..<250 {
      let hasChanged = right.turn(from: start + .milliseconds(Int64(turn)), to: start + .milliseconds(Int64(turn) + 1))
      #expect(!hasChanged)
    }
    #expect(right.isGranted)
  }

  @Test func whatNeverRestsLosesItAndHasItAgainAfterARest() {
    let start = MonotonicTime(nanoseconds: 1_000_000_000)
    var right = RightOfWay(at: start)
    var changes: [Int64] = []
    for turn in 0..<2_000 {
      let began = start + .milliseconds(Int64(turn))
      if right.turn(from: began, to: began + .milliseconds(1)) { changes.append(Int64(turn)) }
    }
    #expect(changes == [598] && !right.isGranted)
    let rested = start + .milliseconds(2_000)
    let afterAQuarter = right.turn(from: rested + .milliseconds(250), to: rested + .milliseconds(250))
    let afterAThird = right.turn(from: rested + .milliseconds(310), to: rested + .milliseconds(310))
    #expect(!afterAQuarter && afterAThird && right.isGranted)
  }

  @Test func otherLoopsAreOrdinaryThreads() async throws {
    let witness = Witness(on: try MediaLoop(name: "musicians"))
    #expect(await witness.policy & 0xFFFF == SCHED_OTHER)
    #expect(await witness.niceness <= 0)
  }
}
