import Foundation
import Glibc
import Music
import Recording
import Signaling
import Testing

extension Players {
  /// A real browser over a network that loses, delays and reorders.
  @Suite(.serialized) struct BadNetworkTests {
    /// One way: every tenth datagram lost, 20 to 40 ms, so that many overtake others.
    private static let network = ["--loss", "0.1", "--delay", "20", "--jitter", "20", "--duplicates", "0.02"]
    private static let coefficient = 0.95
    /// What is compared, and a little at either end, in seconds.
    private static let shortest = 4.0

    /// How often a musician plays again where the machine is too busy to play in time.
    private static let attempts = 3

    /// The recorder, not the browser, says what was lost; and the killed service's take still says it.
    @Test func whereTheMusicSufferedIsInTheTakeOfAKilledServiceToo() async throws {
      let network = try await BadNetwork(["--loss", "0.1", "--delay", "20"])
      let folder = try TemporaryFolder()
      let former = try await Service(network.serviceOptions, folder: folder)
      let driver = try await WebDriver()
      do {
        let page = try await driver.openBrowser()
        try await page.openStudio(of: former)
        try await network.stand(before: page)
        try await page.run(
          """
          window.readings = [];
          jamjar.studio.addEventListener("quality", ({ detail }) => readings.push(detail));
          """)
        try await page.join("quality", as: "Ada")
        // The last may be within what a kill costs.
        try await page.untilTrue("readings.length >= 5")
        let told = try await page.run("return readings.map(({ cause, level, loss }) => [cause, level, loss]);")
        #expect(told.array?.contains { $0.array?.first == "loss" } == true, "\(told.text)")
        former.process.send(SIGKILL)
        _ = await former.process.exitStatus()
        await page.close()
        await driver.close()
      } catch {
        await driver.close()
        await former.close()
        throw error
      }
      let service = try await Service(folder: folder)
      let take = try await service.finishedTake(in: "quality")
      let quality = try await service.get("/v1/takes/\(take.id)/quality")
      let rows = quality.object?["tracks"]?.array?.first?.object?["rows"]?.array?.compactMap(\.object) ?? []
      #expect(rows.count >= 4)
      let missed = rows.reduce(0.0) { $0 + ($1["missed"]?.double ?? 0) }
      let expected = rows.reduce(0.0) { $0 + ($1["expected"]?.double ?? 0) }
      // A tenth, give or take five standard deviations of 500 packets.
      #expect((0.03...0.17).contains(missed / max(1, expected)), "\(missed) of \(expected)")
      #expect(rows.contains { $0["cause"] == "loss" && ($0["level"]?.double ?? 0) >= 3 })
      let manifest = try await service.get("/v1/takes/\(take.id)/manifest")
      #expect(manifest.object?["quality"]?.array?.first?.object?["stretches"]?.array?.isEmpty == false)
      await service.close()
      _ = await network.close()
    }

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
