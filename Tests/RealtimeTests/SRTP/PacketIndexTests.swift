import TestSupport
import Testing

@testable import Realtime

@Suite struct PacketIndexTests {
  @Test(
    arguments: [
      (0, nil, 0), (65_535, nil, 65_535), (65_535, 0, 65_535), (65_000, 32_767, 65_000), (0, 65_535, 65_536),
      (0, 32_768, 0), (0, 32_769, 65_536), (65_535, 65_536, 65_535), (32_767, 98_304, 98_303), (32_769, 65_537, 98_305),
      (32_770, 65_537, 32_770), (5, 0xFFFF_FFFF_FFFE, 0x1_0000_0000_0005),
    ] as [(UInt16, Int64?, Int64)])
  func theRoundIsTheNearestOne(number: UInt16, highest: Int64?, index: Int64) {
    #expect(PacketIndex.guess(number, highest: highest) == index)
  }

  /// A packet that is less than half a round early or late is known by its sequence number.
  @Test func findsEveryIndexWithinHalfARound() {
    var random = SeededRandom(3)
    var mistakes = 0
    for _ in 0..<20_000 {
      let highest = Int64.random(in: 40_000...PacketIndex.last - 40_000, using: &random)
      let index = highest + Int64.random(in: -32_767...32_767, using: &random)
      if PacketIndex.guess(UInt16(truncatingIfNeeded: index), highest: highest) != index { mistakes += 1 }
    }
    #expect(mistakes == 0)
  }
}
