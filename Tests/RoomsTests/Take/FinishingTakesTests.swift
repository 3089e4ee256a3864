import Machines
import Synchronization
import TestSupport
import Testing

@testable import Rooms

@Suite(.timeLimit(.minutes(1))) struct FinishingTakesTests {
  @Test func whatCanWaitBeginsWhenTheLastTakeIsFinished() async throws {
    let takes = FinishingTakes()
    await takes.settled(within: .seconds(3_600))
    for _ in 0..<2 { takes.begin() }
    let isLast = Atomic(false)
    let look = Task {
      await takes.settled(within: .seconds(3_600))
      return isLast.load(ordering: .sequentiallyConsistent)
    }
    try await eventually("it waits") { takes.waitingCount == 1 }
    takes.end()
    #expect(takes.waitingCount == 1)
    isLast.store(true, ordering: .sequentiallyConsistent)
    takes.end()
    #expect(await look.value)
    #expect(takes.waitingCount == 0)
  }

  @Test func itBeginsAllTheSameWhereOneIsAlwaysBeingFinished() async {
    let takes = FinishingTakes()
    takes.begin()
    await takes.settled(within: .milliseconds(1))
    #expect(takes.waitingCount == 0)
  }
}
