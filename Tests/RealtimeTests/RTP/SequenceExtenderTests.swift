import TestSupport
import Testing

@testable import Realtime

@Suite struct SequenceExtenderTests {
  @Test func countsOnOverTheWrapWhateverTheOrder() {
    var extender = SequenceExtender()
    let numbers: [UInt16] = [65_534, 0, 65_535, 2, 1, 65_533, 3]
    #expect(numbers.map { extender.extend($0) } == [65_534, 65_536, 65_535, 65_538, 65_537, 65_533, 65_539])
    #expect(extender.segment == 0)
  }

  @Test func goesBelowZeroWhereAnOlderPacketComesFirst() {
    var extender = SequenceExtender()
    #expect(extender.extend(1) == 1)
    #expect(extender.extend(65_535) == -1)
    #expect(extender.highest == 1)
  }

  @Test func staysRightOverAHundredWraps() {
    var extender = SequenceExtender()
    var random = SeededRandom(1)
    var mistakes = 0
    for number in stride(from: Int64(0), to: 6_553_600, by: 211) {
      let late = number - Int64.random(in: 0...500, using: &random)
      if extender.extend(UInt16(truncatingIfNeeded: number)) != number { mistakes += 1 }
      if late >= 0, extender.extend(UInt16(truncatingIfNeeded: late)) != late { mistakes += 1 }
    }
    #expect(mistakes == 0)
    #expect(extender.segment == 0)
  }

  @Test func callsAWildJumpANewSegmentAboveAllEarlierNumbers() {
    var extender = SequenceExtender()
    _ = extender.extend(40_000)
    #expect(extender.extend(43_000) == 43_000)
    #expect(extender.segment == 0)
    #expect(extender.extend(46_001) == 46_001)
    #expect(extender.segment == 1)
    // 512 back is reordering, 513 back is a sender that began anew.
    #expect(extender.extend(46_001 - 512) == 46_001 - 512)
    #expect(extender.segment == 1)
    #expect(extender.extend(46_001 - 513) == 46_001 - 513 + 65_536)
    #expect(extender.segment == 2)
  }

  @Test(arguments: 1...8) func keepsTheLowBitsAndStartsEverySegmentOnTop(seed: UInt64) {
    var extender = SequenceExtender()
    var random = SeededRandom(seed)
    var highest = Int64.min
    var mistakes = 0
    for _ in 0..<5_000 {
      let number = UInt16.random(in: .min ... .max, using: &random)
      let segment = extender.segment
      let extended = extender.extend(number)
      if UInt16(truncatingIfNeeded: extended) != number { mistakes += 1 }
      if extender.segment != segment, extended <= highest { mistakes += 1 }
      highest = max(highest, extended)
    }
    #expect(mistakes == 0)
  }
}
