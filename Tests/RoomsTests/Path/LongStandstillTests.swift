import Glibc
import Machines
import Recording
import Testing

@testable import Rooms

/// A loop that stands still for longer than libnice waits for an answer.
@Suite(.timeLimit(.minutes(5))) struct LongStandstillTests {
  /// libnice gives up after 10 s without an answer, and both were silent only because their loop stood still.
  @Test func afterALongStandstillThePathGoesOn() async throws {
    let loop = try MediaLoop(name: "test-loop")
    let pair = PathAgentTests.Pair(loop: loop)
    try await pair.connect(ICEConfiguration(addresses: ["127.0.0.1", "127.0.0.2"]))
    let states = await pair.standStill(for: .seconds(11))
    #expect(!states.contains(.lost), "\(states)")
    #expect(await pair.exchange(20).count == 20)
    await pair.close()
  }
}

extension PathAgentTests.Pair {
  /// The loop does nothing for `span`, and then what it had to.
  /// - Returns: the states of both until both are connected.
  func standStill(for span: MonotonicTime.Span) async -> [PathState] {
    let end = MonotonicClock.now + span
    // The loop must not run, so its thread waits here.
    while MonotonicClock.now < end { usleep(10_000) }
    states = []
    // What was due before comes before this.
    await withCheckedContinuation { continuation in
      var ticker: Ticker?
      ticker = Ticker(loop: loop, interval: .milliseconds(100)) { _ in
        ticker?.stop()
        ticker = nil
        continuation.resume()
      }
    }
    await until { self.agents.allSatisfy { $0.state == .connected } }
    return states
  }
}
