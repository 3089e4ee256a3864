import Machines
import Testing

@testable import Server

@Suite struct PushClockTests {
  private func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

  @Test func whoPlaysIsNoFileThoughTheBeginningComesInABurst() {
    var clock = PushClock()
    for index in 0..<3_000 as Range<Int64> {
      // A second and a half waits for the connection, then everything comes as it is played.
      _ = clock.add(timestamp: index * 20, at: time(max(1_500, index * 20)))
    }
    clock.end()
    #expect(!clock.isPushed)
  }

  @Test func aClockThatRunsFastGetsNoLead() {
    var clock = PushClock()
    // 300 ppm for ten hours.
    for index in 0..<36_000 as Range<Int64> { _ = clock.add(timestamp: index * 1_000, at: time(index * 9_997 / 10)) }
    #expect(!clock.isPushed)
  }

  @Test func aFileLiesByItsOwnTimestampsWithItsGap() {
    var clock = PushClock()
    var due: [MonotonicTime] = []
    for index in 0..<400 as Range<Int64> {
      let gap: Int64 = index < 200 ? 0 : 3_000
      due.append(clock.add(timestamp: index * 20 + gap, at: time(5_000 + index / 100)).due)
    }
    #expect(clock.isPushed)
    #expect(abs((due[399] - due[0] - .milliseconds(399 * 20 + 3_000)).milliseconds) < 10)
    let place = clock.place(StreamArrival(time: time(5_000), due: due[0]), at: time(5_004))
    #expect(place?.due == due[0])
  }

  @Test func aJumpOfTheTimestampsIsNoHourOfWaiting() {
    var clock = PushClock()
    let first = clock.add(timestamp: 0, at: time(0)).due
    let jumped = clock.add(timestamp: 3_600_000, at: time(20)).due
    let back = clock.add(timestamp: 0, at: time(40)).due
    #expect(jumped - first <= .seconds(10))
    #expect(back - jumped <= .milliseconds(20))
  }

  @Test func whatWaitedAtTheBeginningWasHeardBeforeItCame() throws {
    var clock = PushClock()
    var messages: [StreamArrival] = []
    for index in 0..<100 as Range<Int64> {
      messages.append(clock.add(timestamp: index * 20, at: time(max(5_000 + 1_500, 5_000 + index * 20))))
    }
    let early = clock.place(messages[0], at: time(6_999))
    #expect(early == nil)
    let places = messages.map { clock.place($0, at: time(7_000)) }
    for (index, place) in places.enumerated() {
      #expect(abs((try #require(place).arrival - time(5_000 + Int64(index) * 20)).milliseconds) < 5)
      #expect(try #require(place).due == nil)
    }
    // Once it is known, messages lie where they come.
    let late = clock.add(timestamp: 2_000, at: time(7_100))
    let place = clock.place(late, at: time(7_100))
    #expect(place?.arrival == time(7_100))
  }

  @Test func evenAShortFileIsWhole() throws {
    var clock = PushClock()
    let messages = (0..<50 as Range<Int64>).map { clock.add(timestamp: $0 * 20, at: time(5_000)) }
    let early = clock.place(messages[0], at: time(5_400))
    #expect(early == nil)
    clock.end()
    let places = messages.map { clock.place($0, at: time(5_400)) }
    let (first, last) = (try #require(places[0]), try #require(places[49]))
    #expect(abs((last.arrival - first.arrival).milliseconds - 980) < 5)
    #expect(abs((last.arrival - time(5_000)).milliseconds) < 1)
  }
}
