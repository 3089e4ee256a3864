import Synchronization
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(1))) struct ByteBudgetTests {
  @Test func theReaderWaitsUntilThereIsRoom() {
    let budget = ByteBudget(limit: 100)
    let waits = Mutex(0)
    let executor = SteppedExecutor()
    budget.add(100)
    Task(executorPreference: executor) {
      await budget.room()
      waits.withLock { $0 += 1 }
      budget.add(50)
      await budget.room()
      waits.withLock { $0 += 1 }
    }
    executor.runAll()
    #expect(waits.withLock(\.self) == 1, "as much as the limit may be on its way, and no more")
    budget.remove(49)
    executor.runAll()
    #expect(waits.withLock(\.self) == 1)
    budget.remove(1)
    executor.runAll()
    #expect(waits.withLock(\.self) == 2)
  }

  @Test func aReaderThatIsCancelledWaitsForNobody() async {
    let budget = ByteBudget(limit: 0)
    budget.add(1)
    let reader = Task { await budget.room() }
    reader.cancel()
    await reader.value
    await budget.room()
  }
}
