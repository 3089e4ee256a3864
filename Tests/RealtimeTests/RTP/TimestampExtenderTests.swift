import Testing

@testable import Realtime

@Suite struct TimestampExtenderTests {
  @Test func countsOnOverTheWrapAndBack() {
    var extender = TimestampExtender()
    #expect(extender.extend(0xFFFF_FF00) == 0xFFFF_FF00)
    #expect(extender.extend(0x100) == 0x1_0000_0100)
    #expect(extender.extend(0xFFFF_FFF0) == 0xFFFF_FFF0)
    #expect(extender.extend(0x200) == 0x1_0000_0200)
    #expect(extender.highest == 0x1_0000_0200)
  }

  @Test func peeksWithoutMoving() {
    var extender = TimestampExtender()
    #expect(extender.peek(5) == 5)
    _ = extender.extend(1000)
    #expect(extender.peek(5000) == 5000)
    #expect(extender.peek(UInt32.max) == -1)
    #expect(extender.highest == 1000)
  }

  @Test func staysRightOverAWeekOfMusic() {
    var extender = TimestampExtender()
    let week: Int64 = 7 * 24 * 3600 * 48_000
    for timestamp in stride(from: Int64(7), to: week, by: 48_000 * 600) {
      #expect(extender.extend(UInt32(truncatingIfNeeded: timestamp)) == timestamp)
    }
  }
}
