import Music
import Signaling
import Testing

extension EndToEnd {
  /// A real browser over a network that loses, delays and reorders.
  @Suite(.serialized) struct BadNetworkTests {
    /// One way: every tenth datagram lost, 20 to 40 ms, so that many overtake others.
    private static let network = ["--loss", "0.1", "--delay", "20", "--jitter", "20", "--duplicates", "0.02"]
    private static let coefficient = 0.95

    @Test func whatTheNetworkLosesTheBrowserSendsAgainAndTheTrackIsWhole() async throws {
      let network = try await BadNetwork(BadNetworkTests.network)
      try await Stage.run(network.serviceOptions) { stage in
        let (microphone, page) = try await stage.openMusician(seed: 21)
        try await network.stand(before: page)
        try await page.prepareWitness()
        try await page.join("bad", as: "Ada")
        try await page.until("state.peers.microphone === 'connected'")
        try await page.untilJournaled(10)
        let line = try #require(try microphone.witnessed(try await page.witness()).line(from: 0))
        try await page.leave()
        let lost = await network.close()
        #expect(lost > 40, "the media went through the relay")

        let take = try await stage.service.finishedTake(in: "bad")
        #expect(take.state == "ready")
        let track = try #require(take.tracks.first)
        #expect(track.gaps.isEmpty, "\(track.gaps)")
        #expect(track.count("lostPackets") == 0)
        #expect(track.count("recoveredPackets") > 40)
        #expect(track.count("concealedSamples") == 0)
        let zero = Double(take.startedAt.nanoseconds) / 1e9
        let start = max(1, line.begin - zero + 1)
        let end = min(9, line.end - zero)
        try #require(end - start > 1, "the fake microphone left a beat out at once")
        let comparison = try #require(
          Comparison(track.sound, with: microphone.tune, expected: line.origin - zero, from: start, to: end),
          "the tune is not in the track")
        #expect(comparison.coefficients.allSatisfy { $0 > BadNetworkTests.coefficient }, "\(comparison)")
      }
    }
  }
}
