import Machines
import Testing

@Suite struct RateLimitTests {
  private func admitted(of count: Int, by rate: inout RateLimit, at milliseconds: Int64) -> Int {
    var admitted = 0
    for _ in 0..<count where rate.admit(at: .at(milliseconds)) { admitted += 1 }
    return admitted
  }

  @Test func admitsABurstAndThenTheRate() {
    var rate = RateLimit(perSecond: 100, burst: 5)
    #expect(admitted(of: 10, by: &rate, at: 0) == 5)
    #expect(rate.opens == .at(10))
    #expect(rate.admit(at: .at(9)) == false)
    #expect(rate.admit(at: .at(10)) == true)
    #expect(rate.admit(at: .at(10)) == false)
  }

  @Test func savesNoMoreThanABurst() {
    var rate = RateLimit(perSecond: 10, burst: 3)
    _ = rate.admit(at: .at(0))
    #expect(admitted(of: 10, by: &rate, at: 60_000) == 3)
  }

  @Test func takesAnyConfiguration() {
    var rate = RateLimit(perSecond: -5, burst: 0)
    #expect(rate.admit(at: .at(0)) == true)
    #expect(rate.admit(at: .at(999)) == false)
    #expect(rate.admit(at: .at(1_000)) == true)
  }

  @Test func gainsNothingWhenTimeGoesBack() {
    var rate = RateLimit(perSecond: 20, burst: 1)
    #expect([1_000, 0, 1_000].map { admitted(of: 1, by: &rate, at: $0) } == [1, 0, 0])
  }
}
