import Testing

@testable import Server

@Suite struct DescriptorBudgetTests {
  @Test(arguments: [
    // The usual hard limit, the usual soft limit, and so few that no full room fits.
    (20_000, 30, 4_096, 15_874, true), (1_024, 30, 248, 746, true), (64, 24, 10, 30, false), (32, 30, 8, 0, false),
  ])
  func connectionsHaveAQuarter(limit: Int, inUse: Int, connections: Int, others: Int, isEnough: Bool) {
    let budget = DescriptorBudget(limit: limit, inUse: inUse, most: 4_096)
    #expect(budget.connections == connections)
    #expect(budget.others == others)
    #expect(budget.isEnough == isEnough)
  }
}
