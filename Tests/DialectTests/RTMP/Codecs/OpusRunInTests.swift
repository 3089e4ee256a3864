import Testing

@testable import Server

@Suite struct OpusRunInTests {
  @Test func isSilentFor80MillisecondsAndThenComesUp() {
    var runIn = OpusRunIn()
    let heard = (0..<10).flatMap { _ in runIn.heard([Float](repeating: 1, count: 2 * 480)) }
    #expect(heard.count == 2 * 4_800)
    #expect(heard.prefix(2 * 3_840).allSatisfy { $0 == 0 })
    let rise = heard[(2 * 3_840)..<(2 * 4_320)]
    #expect(zip(rise, rise.dropFirst()).allSatisfy { $0 <= $1 } && rise.allSatisfy { $0 < 1 })
    #expect(heard.suffix(2 * 480).allSatisfy { $0 == 1 })
    #expect(runIn.heard([0.5, -0.5]) == [0.5, -0.5])
  }
}
