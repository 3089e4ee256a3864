import Machines
import Testing

@testable import Server

@Suite struct AACTimelineTests {
  private func time(_ milliseconds: Int64) -> StreamArrival {
    let time = MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    return StreamArrival(time: time, due: time)
  }

  @Test func countsSamplesThoughTimestampsAreRounded() {
    var timeline = AACTimeline(rate: 48_000, priming: 0)
    for (index, stamp) in [100, 121, 143, 164].enumerated() {
      timeline.add(timestamp: Int64(stamp), arrival: time(Int64(index)))
    }
    #expect(timeline.place(of: 0)?.time == 4_800)
    #expect(timeline.place(of: 2_400)?.time == 7_200)
    #expect(timeline.place(of: 2_400)?.arrival == time(2), "of the frame that the sample belongs to")
  }

  @Test func aJumpOfTheTimestampIsAGap() {
    var timeline = AACTimeline(rate: 44_100, priming: 0)
    for index in 0..<10 { timeline.add(timestamp: Int64(index * 23), arrival: time(0)) }
    timeline.add(timestamp: 1_230, arrival: time(0))
    let last = 10 * 1_024 * 48_000 / 44_100
    #expect(timeline.place(of: Int64(last - 480))?.time == Int64(last - 480))
    #expect(timeline.place(of: Int64(last))?.time == Int64(1_230 * 48))
  }

  @Test func theSmallestFramesThatAPipeHoldsAreAllRemembered() {
    var timeline = AACTimeline(rate: 48_000, priming: 0)
    for index in 0..<4_000 { timeline.add(timestamp: Int64(index) * 64 / 3, arrival: time(Int64(index))) }
    #expect(timeline.place(of: 0)?.arrival == time(0))
  }

  @Test func primingIsTakenOff() {
    var timeline = AACTimeline(rate: 24_000, priming: 1_024)
    timeline.add(timestamp: 0, arrival: time(0))
    #expect(timeline.place(of: 5_000)?.time == Int64(5_000 - 2_048))
  }
}
