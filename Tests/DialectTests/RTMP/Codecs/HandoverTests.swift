import Synchronization
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(1))) struct HandoverTests {
  @Test func elementsComeInOrderAndTheEndAfterThem() async throws {
    let handover = Handover<Int>(capacity: 2)
    let giver = Task {
      for number in 0..<1_000 { try await handover.give(number) }
      handover.finish()
    }
    var taken: [Int] = []
    while let number = await handover.take() { taken.append(number) }
    #expect(taken == Array(0..<1_000))
    try await giver.value
  }

  @Test func theNextTakerGoesOnWhereACancelledOneStopped() async throws {
    let handover = Handover<Int>(capacity: 1)
    let first = Task { await handover.take() }
    first.cancel()
    #expect(await first.value == nil)
    let giver = Task {
      try await handover.give(7)
      handover.finish()
    }
    #expect(await handover.take() == 7)
    #expect(await handover.take() == nil)
    try await giver.value
  }

  @Test func aGiverThatNobodyTakesFromCanBeCancelled() async {
    let handover = Handover<Int>(capacity: 1)
    let giver = Task { try await handover.give(1) }
    giver.cancel()
    await #expect(throws: CancellationError.self) { try await giver.value }
  }

  @Test func theEndFreesBothSides() async throws {
    let handover = Handover<Int>(capacity: 1)
    let giver = Task { try await handover.give(1) }
    handover.finish()
    try await giver.value
    #expect(await handover.take() == 1)
    #expect(await handover.take() == nil)
  }
}
