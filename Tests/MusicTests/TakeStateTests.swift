import Testing

@testable import Music

@Suite struct TakeStateTests {
  @Test func aTakeGoesItsWayForwardOnly() {
    let way: [TakeState] = [.rolling, .captured, .rendering, .ready]
    for (earlier, later) in zip(way, way.dropFirst()) {
      #expect(earlier.mayBecome(later))
      if later != .ready { #expect(!later.mayBecome(earlier)) }
    }
  }

  @Test(arguments: TakeState.allCases)
  func whatWasCapturedNeverRollsAgain(state: TakeState) {
    #expect(!state.mayBecome(.rolling))
    #expect(!state.mayBecome(state))
  }

  @Test(arguments: [TakeState.ready, .incomplete, .failed])
  func aFinishedTakeCanBeRenderedAgain(state: TakeState) {
    #expect(state.mayBecome(.rendering))
  }
}
