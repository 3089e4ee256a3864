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

  /// A multiplexer need not sort the tracks by their timestamps, and frames of one may be longer.
  @Test(arguments: [15, 400] as [Int64]) func aTrackBehindAnotherIsNoPush(distance: Int64) {
    var clock = PushClock()
    for index in 0..<3_000 as Range<Int64> {
      _ = clock.add(timestamp: index * 20, track: 0, at: time(index * 20))
      _ = clock.add(timestamp: max(0, index * 20 - distance), track: 1, at: time(index * 20))
    }
    #expect(!clock.isPushed)
  }

  @Test func aPushedTrackBehindAnotherLiesWhereItsTimestampsSay() {
    var clock = PushClock()
    for index in 0..<1_000 as Range<Int64> {
      let arrival = time(5_000 + index / 10)
      let first = clock.add(timestamp: 1_000 + index * 20, track: 0, at: arrival)
      let second = clock.add(timestamp: 600 + index * 20, track: 1, at: arrival)
      guard index > 200 else { continue }
      #expect(abs((first.due - second.due).milliseconds - 400) < 1, "message \(index)")
    }
    #expect(clock.isPushed)
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

  /// Whatever came late in the first half second, nothing of it lies before its time.
  @Test func jitterAtTheBeginningMakesNothingEarly() throws {
    var clock = PushClock()
    var messages: [StreamArrival] = []
    for index in 0..<40 as Range<Int64> {
      let late: Int64 = index == 12 ? 15 : index % 5
      messages.append(clock.add(timestamp: (index * 64 + 1) / 3, at: time(5_000 + index * 64 / 3 + late)))
    }
    for (index, message) in messages.enumerated() {
      let found = clock.place(message, at: time(6_000))
      let place = try #require(found)
      let early = (time(5_000 + Int64(index) * 64 / 3) - place.arrival).milliseconds
      #expect(early < 1, "message \(index)")
    }
  }

  @Test(arguments: [100, 853, 2_000])
  func burstsLieOnOneLine(burst: Int64) throws {
    var clock = PushClock()
    var places: [PushClock.Place] = []
    for index in 0..<500 as Range<Int64> {
      // The last message of a burst comes at its time, all others had been waiting.
      let arrival = 5_000 + ((index * 20 + 20 + burst - 1) / burst) * burst
      let message = clock.add(timestamp: index * 20, at: time(arrival))
      let place = clock.place(message, at: time(max(arrival, 5_000 + burst + 600)))
      places.append(try #require(place))
    }
    #expect(!clock.isPushed)
    let quickest = places.enumerated().map { ($1.arrival - time(Int64($0) * 20)).milliseconds }
    for start in stride(from: 0, to: 400, by: 100) {
      let least = try #require(quickest[start..<(start + 100)].min())
      let first = try #require(quickest.prefix(100).min())
      // By less than a message more or less in a burst.
      #expect(abs(least - first) <= 20, "from message \(start)")
    }
  }

  @Test func aFileRecognisedLateGoesOnWhereItWas() throws {
    var clock = PushClock()
    var last: MonotonicTime?
    // Half as fast again as it plays, behind a burst of half a second.
    for index in 0..<1_000 as Range<Int64> {
      let arrival = time(5_500 + max(0, (index * 20 - 500) * 2 / 3))
      let message = clock.add(timestamp: index * 20, at: arrival)
      // All that came within the first half second is there before anything is placed.
      guard arrival >= time(6_000), let due = clock.place(message, at: arrival)?.due else { continue }
      // By half a second of such a push it is already a quarter ahead.
      if last == nil { #expect(abs((due - time(4_750 + index * 20)).milliseconds) < 50) }
      if let last { #expect(abs((due - last).milliseconds - 20) < 1) }
      last = due
    }
    #expect(clock.isPushed && last != nil)
  }

  /// However the tracks of a live desk are interleaved, they are one time.
  @Test(arguments: [(1, 3), (5, 0), (25, 0)] as [(Int64, Int64)])
  func tracksOfOneStreamAreNotCountedTwice(group: Int64, behind: Int64) {
    var clock = PushClock()
    for start in stride(from: Int64(0), to: 6_000, by: Int64.Stride(group)) {
      let arrival = time((start + group) * 20)
      for track in 0..<2 as Range<UInt8> {
        for index in start..<(start + group) {
          let stamp = max(0, index * 20 - (track == 1 ? behind : 0))
          _ = clock.add(timestamp: stamp, track: track, at: arrival)
        }
      }
    }
    #expect(!clock.isPushed)
  }

  @Test func aPushedTrackLiesByItsOwnTimestampsThoughAnotherIsAhead() {
    var clock = PushClock()
    var due: [[MonotonicTime]] = [[], []]
    for start in stride(from: Int64(0), to: 1_000, by: 10) {
      for track in 0..<2 as Range<UInt8> {
        for index in start..<(start + 10) {
          due[Int(track)].append(clock.add(timestamp: index * 20, track: track, at: time(5_000)).due)
        }
      }
    }
    #expect(clock.isPushed)
    // Once it is known to be a file.
    for index in 200..<1_000 { #expect(abs((due[0][index] - due[1][index]).milliseconds) < 1) }
    #expect(abs((due[1][999] - due[1][200] - .milliseconds(799 * 20)).milliseconds) < 1)
  }

  @Test func aTrackThatBeginsAnewGoesOn() {
    var clock = PushClock()
    for index in 0..<300 as Range<Int64> { _ = clock.add(timestamp: index * 20, at: time(5_000)) }
    let last = clock.add(timestamp: 6_000, at: time(5_000)).due
    _ = clock.add(timestamp: 0, at: time(5_000))
    let next = clock.add(timestamp: 20, at: time(5_000)).due
    #expect(abs((next - last).milliseconds - 20) < 1)
  }
}
