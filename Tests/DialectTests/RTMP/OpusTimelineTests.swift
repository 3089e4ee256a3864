import Testing

@testable import Server

@Suite struct OpusTimelineTests {
  /// 20 ms of silence in stereo.
  private let packet: [UInt8] = [0xFC, 0xFF, 0xFE]

  @Test func packetsThatASenderLeavesOutNowAndThenDoNotAddUp() throws {
    var timeline = OpusTimeline()
    // Ten minutes, one packet of a hundred is missing.
    for index in 0..<30_000 as Range<Int64> where index % 100 != 99 {
      let found = timeline.place(packet, timestamp: index * 20)
      let time = try #require(found)
      #expect(abs(time - index * 960) <= 2 * 960, "packet \(index)")
    }
  }

  @Test func stampsOfAnotherClockAreNoGap() throws {
    var timeline = OpusTimeline()
    var last: Int64?
    // 100 ppm for an hour.
    for index in 0..<180_000 as Range<Int64> {
      last = timeline.place(packet, timestamp: Int64((Double(index) * 20 * 1.0001).rounded()))
    }
    #expect(abs((last ?? 0) - 179_999 * 960) < 1)
  }

  @Test func aLongJumpIsAGap() {
    var timeline = OpusTimeline()
    let first = timeline.place(packet, timestamp: 0)
    let second = timeline.place(packet, timestamp: 5_000)
    #expect(first == 0 && second == 240_000)
  }

  @Test func whatIsNoOpusHasNoPlace() {
    var timeline = OpusTimeline()
    let nothing = timeline.place([], timestamp: 0)
    #expect(nothing == nil)
  }
}
