import Synchronization
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(1))) struct ByteBudgetTests {
  @Test func theReaderWaitsUntilThereIsRoom() async {
    let budget = ByteBudget(limit: 100)
    budget.add(100)
    await budget.room()
    budget.add(50)
    let hasRoom = Atomic(false)
    async let reader: Void = {
      await budget.room()
      let isInTime = hasRoom.load(ordering: .acquiring)
      #expect(isInTime)
    }()
    for _ in 0..<1_000 { await Task.yield() }
    hasRoom.store(true, ordering: .releasing)
    budget.remove(50)
    await reader
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
