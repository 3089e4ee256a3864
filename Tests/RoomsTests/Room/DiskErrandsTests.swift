import Foundation
import Glibc
import Library
import Machines
import Recording
import Synchronization
import Testing

@testable import Rooms

@Suite(.timeLimit(.minutes(5))) struct DiskErrandsTests {
  @Test func triesAgainUntilThereIsADescriptor() async throws {
    let tries = Mutex(0)
    // A machine that is busy with other tests may take its time between two tries.
    let number = try await DiskErrands().run(within: .seconds(3_600)) { () throws(FileProblem) -> Int in
      let count = tries.withLock { count in
        count += 1
        return count
      }
      guard count > 2 else { throw FileProblem(path: "take.journal", operation: .create, code: EMFILE) }
      return count
    }
    #expect(number == 3)
  }

  @Test func tellsAnythingElseAtOnce() async {
    let full = FileProblem(path: "take.journal", operation: .create, code: ENOSPC)
    let tries = Mutex(0)
    await #expect(throws: full) {
      try await DiskErrands().run { () throws(FileProblem) in
        tries.withLock { $0 += 1 }
        throw full
      }
    }
    #expect(tries.withLock { $0 } == 1)
  }

  /// Sends an errand from its loop, as a room does at the beginning of a take.
  private actor Sender {
    let loop: MediaLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    var packets = 0
    init(loop: MediaLoop) { self.loop = loop }

    func send(_ errands: DiskErrands, until gate: DispatchSemaphore) async throws -> Bool {
      let wasOnLoop = try await errands.run { [loop] () throws(FileProblem) in
        gate.wait()
        return loop.isCurrent
      }
      return wasOnLoop || !loop.isCurrent
    }

    func receive() -> Int {
      packets += 1
      return packets
    }
  }

  @Test func aLoopGoesOnWhileTheDiskHangs() async throws {
    let sender = Sender(loop: try MediaLoop(name: "test-loop"))
    let (errands, gate) = (DiskErrands(), DispatchSemaphore(value: 0))
    async let strayed = sender.send(errands, until: gate)
    // Were the errand on the loop's thread, the first of these would never be answered.
    for count in 1...100 { #expect(await sender.receive() == count) }
    gate.signal()
    #expect(try await strayed == false)
  }
}
