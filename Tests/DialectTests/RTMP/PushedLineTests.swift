import Machines
import Recording
import Testing

@testable import Server

/// Where a pushed file lies: its samples are counted, whatever its timestamps are rounded to.
@Suite struct PushedLineTests {
  private static let start = MonotonicTime(nanoseconds: 5_000_000_000)
  private static let frame: Int64 = 1_024

  private func exactly(_ samples: Int64) -> MonotonicTime.Span { .nanoseconds(samples * 62_500 / 3) }

  /// Feeds frames of 1,024 samples whose timestamps are rounded to milliseconds, as fast as they come, through all that
  /// gives them a place; `body` receives the end of each packet of 20 ms and its place.
  private func push(
    frames: Int64, rate: Int64, stamp: (Int64) -> Int64, body: (Int64, MonotonicTime) -> Void
  ) {
    var clock = PushClock()
    var timeline = FrameTimeline()
    var line = PushedLine()
    var end: Int64 = 0
    let sound = CodecMessage.Sound(
      kind: .decoded, channels: 1, ownChannels: 1, frameLength: UInt32(PushedLineTests.frame), rate: UInt32(rate),
      samples: [])
    for index in 0..<frames {
      let milliseconds = (Double(index * PushedLineTests.frame) * 1_000 / Double(rate)).rounded()
      let timestamp = stamp(Int64(milliseconds))
      let arrival = PushedLineTests.start + .microseconds(index * 50)
      let message = clock.add(timestamp: timestamp, at: arrival)
      guard let place = timeline.add(sound, timestamp: timestamp, frames: 1, priming: 0) else { continue }
      while Double(end + 960) <= place.end {
        // As `FrameFlow` stamps it: less the sound of the frame behind the packet.
        let behind = MonotonicTime.Span.nanoseconds(Int64((place.end - Double(end + 960)) / 48_000 * 1e9))
        end += 960
        body(end, line.place(endingAt: end, due: message.due - behind, isAhead: message.due > message.time))
      }
    }
  }

  @Test(arguments: [44_100, 48_000] as [Int64]) func anHourDoesNotMoveByASample(rate: Int64) {
    var first: (end: Int64, place: MonotonicTime)?
    var (worst, packets) = (MonotonicTime.Span.zero, 0)
    var clock = SenderClock(isSilent: true)
    var placement: Placement?
    var steps: [Double] = []
    push(frames: 3_600 * rate / PushedLineTests.frame, rate: rate, stamp: { $0 }) { end, place in
      let begin = first ?? (end, place)
      first = begin
      let error = (place - begin.place) - exactly(end - begin.end)
      worst = max(worst, max(error, .zero - error))
      // What a render makes of it, four seconds later.
      let arrival = (place - PushedLineTests.start).seconds
      clock.observe(packet: end / 960, endingAt: Double(end) / 48_000, arrival: arrival, isInOrder: true)
      packets += 1
      guard packets > 200 else { return }
      var present = placement ?? Placement(start: Placement.start(of: 0, clock), clock: clock)
      steps.append(present.advance(960, toward: clock).step)
      placement = present
    }
    #expect(packets > 179_900)
    #expect(worst <= .nanoseconds(2))
    let pitch = steps.map { abs($0 - 1) }.max() ?? .infinity
    #expect(pitch < 1e-9)
    // All that the place moved in the hour, in samples.
    let moved = steps.reduce(0) { $0 + ($1 - 1) * 960 }
    #expect(abs(moved) < 0.01)
  }

  /// Stamps taken from another clock than that of the samples: 100 ppm for half an hour, 180 ms in all.
  @Test func stampsOfAnotherClockMoveNothing() {
    var first: (end: Int64, place: MonotonicTime)?
    var worst = MonotonicTime.Span.zero
    push(frames: 84_375, rate: 48_000, stamp: { Int64((Double($0) * 1.000_1).rounded()) }) { end, place in
      let begin = first ?? (end, place)
      first = begin
      let error = (place - begin.place) - exactly(end - begin.end)
      worst = max(worst, max(error, .zero - error))
    }
    #expect(worst <= .nanoseconds(2))
  }

  @Test func aRealGapIsKept() {
    var line = PushedLine()
    let first = line.place(endingAt: 960, due: PushedLineTests.start, isAhead: true)
    // The samples know of the gap, to the sample; the timestamp says it in milliseconds.
    let second = line.place(endingAt: 960 + 144_500, due: PushedLineTests.start + .milliseconds(3_011), isAhead: true)
    #expect(second - first == exactly(144_500))
  }

  @Test func aStreamThatFellBehindTheClockGoesByItsArrivals() {
    var line = PushedLine()
    _ = line.place(endingAt: 960, due: PushedLineTests.start, isAhead: true)
    let late = PushedLineTests.start + .milliseconds(420)
    let placed = line.place(endingAt: 1_920, due: late, isAhead: false)
    #expect(placed == late)
    let next = line.place(endingAt: 2_880, due: late + .milliseconds(19), isAhead: true)
    #expect(next == late + .milliseconds(20))
  }

  /// A jump of an hour, in seconds.
  @Test(arguments: [-3_600, 3_600] as [Int64]) func timestampsOfAnotherBeginningAreAnotherLine(jump: Int64) {
    var line = PushedLine()
    _ = line.place(endingAt: 48_000 * 7_200, due: PushedLineTests.start, isAhead: true)
    let due = PushedLineTests.start + .seconds(jump > 0 ? 10 : 0)
    let placed = line.place(endingAt: 48_000 * (7_200 + jump), due: due, isAhead: true)
    #expect(placed == due)
  }
}
