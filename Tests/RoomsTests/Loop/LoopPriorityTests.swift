import Glibc
import Testing

@testable import Rooms

@Suite(.timeLimit(.minutes(1))) struct LoopPriorityTests {
  /// Looks from a job of the loop.
  private actor Witness {
    private let loop: MediaLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(on loop: MediaLoop) { self.loop = loop }

    var policy: Int32 { sched_getscheduler(0) }
    var niceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
    /// Of a process that it starts.
    var policyOfAChild: Int32? {
      let output = popen("chrt --pid $$", "r")
      defer { if let output { pclose(output) } }
      var line = [CChar](repeating: 0, count: 256)
      guard let output, fgets(&line, CInt(line.count), output) != nil else { return nil }
      return String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        .contains("SCHED_OTHER") ? SCHED_OTHER : SCHED_RR
    }
  }

  /// True where this process may ask for it.
  private static let mayBeRealTime = popen("chrt --rr 1 true 2>&1", "r").map { pclose($0) == 0 } ?? false

  @Test(.enabled(if: mayBeRealTime)) func musicComesBeforeOrdinaryThreads() async throws {
    let witness = Witness(on: try MediaLoop(name: "music", priority: .realTime))
    // What it says of the calling thread, the flag included.
    #expect(await witness.policy & 0xFFFF == SCHED_RR)
    #expect(await witness.policyOfAChild == SCHED_OTHER)
  }

  @Test func otherLoopsAreOrdinaryThreads() async throws {
    let witness = Witness(on: try MediaLoop(name: "musicians"))
    #expect(await witness.policy == SCHED_OTHER)
    #expect(await witness.niceness <= 0)
  }
}
