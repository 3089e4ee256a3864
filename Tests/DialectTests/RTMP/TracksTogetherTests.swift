import Machines
import Testing

@testable import Server

/// None of the tracks of one stream gets far ahead of another.
@Suite struct TracksTogetherTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

  @Test func aTrackWaitsForAnotherThatHasSoundAndIsBehind() {
    let together = TracksTogether()
    var (first, second): ([StreamArrival], [StreamArrival]) = ([], [])
    // A pushed file: three seconds at once.
    for index in 0..<150 {
      first.append(together.add(0, timestamp: Int64(index * 20), at: start))
      second.append(together.add(1, timestamp: Int64(index * 20), at: start))
    }
    let now = start + .milliseconds(600)
    #expect(together.place(first[25], of: 0, at: now) != nil)
    #expect(together.place(first[26], of: 0, at: now) == nil, "more than half a second ahead")
    together.takes(1)
    #expect(together.place(second[10], of: 1, at: now) != nil)
    #expect(together.place(first[26], of: 0, at: now) != nil)
    // One that does not get on holds nobody up for long, and neither does one that is over.
    #expect(together.place(first[149], of: 0, at: now) == nil)
    #expect(together.place(first[149], of: 0, at: now + TracksTogether.patience) != nil)
    together.leave(1)
    #expect(together.place(first[149], of: 0, at: now) != nil)
  }

  @Test func aTrackWithoutSoundIsNotWaitedFor() {
    let together = TracksTogether()
    let early = together.add(1, timestamp: 0, at: start)
    together.takes(1)
    #expect(early.due == start)
    var last = early
    for index in 0..<150 { last = together.add(0, timestamp: Int64(index * 20), at: start) }
    #expect(together.place(last, of: 0, at: start + .milliseconds(600)) != nil)
  }

  /// The machine stands still for 12 ms between the first messages of two tracks.
  @Test func whatWasCapturedAtOneMomentLiesAtOne() throws {
    let tracks = TracksTogether()
    let arrivals: [[Int64]] = [[0, 12], [13, 14], [40, 40]]
    let messages = arrivals.enumerated().map { (step: Int, arrivals: [Int64]) -> [StreamArrival] in
      arrivals.enumerated().map { (track: Int, arrival: Int64) -> StreamArrival in
        tracks.add(UInt8(track), timestamp: Int64(step * 20), at: start + .milliseconds(arrival))
      }
    }
    tracks.end()
    for step in messages {
      let places = try step.enumerated().map { track, message in
        try #require(tracks.place(message, of: UInt8(track), at: start + .milliseconds(1_000)))
      }
      #expect(places[0] == places[1])
    }
  }
}
