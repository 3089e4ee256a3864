import Machines
import Testing

@testable import Server

@Suite struct TracksTogetherTests {
  private let start = MonotonicTime(nanoseconds: 5_000_000_000)

  private func at(_ milliseconds: Int64) -> MonotonicTime { start + .milliseconds(milliseconds) }

  /// The machine stands still for 12 ms between the first messages of two tracks.
  @Test func whatWasCapturedAtOneMomentLiesAtOne() throws {
    let tracks = TracksTogether()
    let arrivals: [[Int64]] = [[0, 12], [13, 14], [40, 40]]
    let messages = arrivals.enumerated().map { (step: Int, arrivals: [Int64]) -> [StreamArrival] in
      arrivals.enumerated().map { (track: Int, arrival: Int64) -> StreamArrival in
        tracks.add(UInt8(track), timestamp: Int64(step * 20), at: at(arrival))
      }
    }
    tracks.end()
    for step in messages {
      let places = try step.enumerated().map { track, message in
        try #require(tracks.place(message, of: UInt8(track), at: at(1_000)))
      }
      #expect(places[0] == places[1])
    }
  }
}
