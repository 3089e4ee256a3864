import Music
import Signaling
import Testing

extension EndToEnd {
  /// A real browser over a network that loses, delays and reorders.
  @Suite(.serialized) struct BadNetworkTests {
    /// One way: every tenth datagram lost, 20 to 40 ms, so that many overtake others.
    private static let network = ["--loss", "0.1", "--delay", "20", "--jitter", "20", "--duplicates", "0.02"]
    private static let coefficient = 0.95
    /// What is compared, and a little at either end, in seconds.
    private static let shortest = 4.0

    /// How often a musician plays again where the machine is too busy to play in time.
    private static let attempts = 3

    @Test func whatTheNetworkLosesTheBrowserSendsAgainAndTheTrackIsWhole() async throws {
      let network = try await BadNetwork(BadNetworkTests.network)
      try await Stage.run(network.serviceOptions) { stage in
        let (microphone, page) = try await stage.openMusician(seed: 21)
        try await network.stand(before: page)
        var played: SteadyTime?
        var room = ""
        for attempt in 1...BadNetworkTests.attempts where played == nil {
          room = "bad \(attempt)"
          try await page.prepareWitness()
          try await page.join(room, as: "Ada")
          try await page.until("state.peers.microphone === 'connected'")
          played = try await SteadyTime.playing([(microphone, page)], lasting: BadNetworkTests.shortest)
          try await page.leave()
        }
        let steady = try #require(
          played, "this machine is too busy: the fake microphone left beats out all the time")
        let lost = await network.close()
        #expect(lost > 40, "the media went through the relay")

        let take = try await stage.service.finishedTake(in: room)
        #expect(take.state == "ready")
        let track = try #require(take.tracks.first)
        #expect(track.losses.isEmpty, "\(track.losses.map(\.text))")
        #expect(track.count("recoveredPackets") > 20)
        let zero = Double(take.startedAt.milliseconds) / 1e3
        let comparison = try #require(
          Comparison(
            track.sound, with: microphone.tune, expected: steady.origins[0] - zero, from: steady.begin - zero + 0.3,
            to: steady.end - zero - 0.3),
          "the tune is not in the track")
        #expect(comparison.coefficients.allSatisfy { $0 > BadNetworkTests.coefficient }, "\(comparison)")
      }
    }
  }
}
