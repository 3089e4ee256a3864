import Machines
import TestSupport
import Testing

@testable import Rooms

@Suite(.timeLimit(.minutes(5))) struct TimerHeapTests {
  /// A source that only gives its handle.
  private final class Nobody: LoopSource {
    func descriptorReady(_ descriptor: Int32, at now: MonotonicTime) -> MonotonicTime? { nil }
    func deadlineReached(at now: MonotonicTime) {}
  }

  actor Handles {
    let loop: MediaLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    init(loop: MediaLoop) { self.loop = loop }
    func make() -> MediaLoop.SourceID { loop.add(Nobody()) }
  }

  @Test func deadlinesComeOutInOrderAndNoneBeforeItsTime() async throws {
    let loop = try MediaLoop(name: "test-loop")
    let source = await Handles(loop: loop).make()
    var heap = TimerHeap()
    var random = SeededRandom(1)
    let deadlines = (0..<500).map { _ in Int64.random(in: 0..<1_000, using: &random) }
    for deadline in deadlines { heap.insert(.init(deadline: MonotonicTime(nanoseconds: deadline), source: source)) }
    var popped: [Int64] = []
    let half = MonotonicTime(nanoseconds: 499)
    while let entry = heap.popDue(at: half) { popped.append(entry.deadline.nanoseconds) }
    #expect(popped == deadlines.filter { $0 <= 499 }.sorted())
    while let entry = heap.popDue(at: MonotonicTime(nanoseconds: 1_000)) { popped.append(entry.deadline.nanoseconds) }
    #expect(popped == deadlines.sorted())
    #expect(heap.earliest == nil)
  }
}
