import Foundation
import Glibc
import Music
import Signaling
import Testing

extension Players {
  /// Real browsers, real sound, files on disk.
  @Suite(.serialized) struct BrowserTakeTests {
    private static let coefficient = 0.95
    /// Seconds after a steady time's begin and before its end that are not compared: packets are on their way.
    private static let lead = 0.8
    private static let tail = 0.2

    /// One of them is 20 ms further away, in both directions.
    @Test func threeMusiciansInThreeBrowsersBecomeThreeAlignedTracksAndAMix() async throws {
      let network = try await BadNetwork(["--delay", "20", "--jitter", "0", "--loss", "0", "--duplicates", "0"])
      try await Stage.run(network.serviceOptions) { stage in
        let trio = try await Trio(on: stage, thirdBehind: network)
        let best = try await trio.bestTake(of: 4, heard: "routed", tolerance: 0.005)
        try trio.check(best.take, in: best.steady, tolerance: 0.005)
        // The pages tell what their clocks were: the one by which their browsers' reports leave.
        let frames = try await CommandRun(
          ["takes", "inspect", best.take.id, "--data", stage.service.recordings, "--frames", "--json"])
        func all(_ kind: String) throws -> [JSONObject] {
          try frames.text.split(separator: "\n").filter { $0.contains(kind) }
            .compactMap { try JSONValue(parsing: Array($0.utf8)).object }
        }
        let readings = try all("clockSample")
        #expect(Set(readings.compactMap { $0["track"]?.integer }) == [1, 2, 3])
        // And the browsers answer the service's checks of their paths.
        #expect(Set(try all("checkTrip").compactMap { $0["track"]?.integer }) == [1, 2, 3])
        for reading in readings {
          let (clock, time) = (try #require(reading["senderTime"]?.double), try #require(reading["time"]?.double))
          #expect(abs(clock - Double(best.take.startedAt.milliseconds) / 1e3 - time) < 1)
        }
      }
    }

    /// They hear each other without the service, which records them as before once it goes on.
    @Test func theTracksOfAMeshLieAsTheyWerePlayedAfterTheServiceStoodStill() async throws {
      try await Stage.run("--topology", "mesh") { stage in
        let trio = try await Trio(on: stage)
        let best = try await trio.bestTake(of: 3, heard: "direct", tolerance: 0.001) {
          stage.service.process.send(SIGSTOP)
          defer { stage.service.process.send(SIGCONT) }
          let start = ContinuousClock.now
          repeat {
            for page in trio.pages { try await page.untilTrue(Trio.hearsTheOthers) }
          } while ContinuousClock.now - start < .seconds(2)
        }
        try trio.check(best.take, in: best.steady, tolerance: 0.001)
      }
    }

    @Test func aPageThatIsLoadedAnewGoesOnInTheSameTrack() async throws {
      try await Stage.run { stage in
        let (microphone, page) = try await stage.openMusician(seed: 7)
        try await page.prepareWitness()
        try await page.join("reload", as: "Ada")
        let before = try await page.until("state.peers.microphone === 'connected' && state.take")
        let first = try #require(try await SteadyTime.playing([(microphone, page)], to: 4, lasting: 2))
        try await page.reload()
        try await page.prepareWitness()
        // Nobody clicks: the page goes back to its seat by itself, and the position goes on from the same zero.
        let after = try await page.until(
          "state.phase === 'joined' && state.peers.microphone === 'connected' && state.take")
        #expect(after.object?["participant"] == before.object?["participant"])
        #expect(after.object?["take"]?.object?["number"] == 1)
        let second = try #require(try await SteadyTime.playing([(microphone, page)], to: 9, lasting: 2))
        try await page.leave()

        let take = try await stage.service.finishedTake(in: "reload")
        #expect(try await stage.service.takes(in: "reload").count == 1)
        #expect(take.tracks.count == 1)
        let track = try #require(take.tracks.first)
        #expect(!track.gaps.isEmpty, "the time between the two pages is a gap")
        let zero = Double(take.startedAt.milliseconds) / 1e3
        for steady in [first, second] {
          let comparison = try #require(
            Comparison(
              track.sound, with: microphone.tune, expected: steady.origins[0] - zero,
              from: steady.begin - zero + BrowserTakeTests.lead, to: steady.end - zero - BrowserTakeTests.tail))
          #expect(comparison.coefficients.allSatisfy { $0 > BrowserTakeTests.coefficient }, "\(comparison)")
        }
      }
    }

    @Test func aLostLinkAndARestartedPathComeBackByThemselvesWithoutAGap() async throws {
      try await Stage.run { stage in
        let page = try await stage.openStudio()
        // The page's own sockets and connections, so that they can be hurt.
        try await page.run(
          """
          window.made = { sockets: [], connections: [] };
          const { WebSocket: Socket, RTCPeerConnection: Connection } = window;
          window.WebSocket = class extends Socket {
            constructor(...all) { super(...all); made.sockets.push(this); }
          };
          window.RTCPeerConnection = class extends Connection {
            constructor(...all) { super(...all); made.connections.push(this); }
          };
          """)
        let before = try await page.joinWithTone("lost", as: "Ada", frequency: 440)
        try await page.until("state.take && state.peers.microphone === 'connected'")
        // It is back within the time that a question to the page takes.
        try await page.run(
          """
          jamjar.studio.addEventListener("state", () => {
            if (jamjar.studio.phase === "reconnecting") window.said = document.getElementById("notice").textContent;
          });
          made.sockets[0].close(3000);
          """)
        try await page.untilTrue("window.said !== undefined")
        let after = try await page.until("state.phase === 'joined'")
        #expect(try await page.run("return window.said;").string?.contains("has been lost since") == true)
        #expect(after.object?["participant"] == before.object?["participant"])
        #expect(after.object?["take"]?.object?["number"] == 1)
        let ufrags = try await page.run(
          """
          const connection = made.connections[0];
          const ufrag = () => connection.remoteDescription.sdp.match(/ice-ufrag:(\\S+)/)[1];
          const former = ufrag();
          const restarted = new Promise((resolve) => connection.addEventListener("signalingstatechange", () => {
            if (connection.signalingState === "stable") resolve();
          }));
          Object.defineProperty(connection, "connectionState", { configurable: true, value: "failed" });
          connection.onconnectionstatechange();
          delete connection.connectionState;
          await restarted;
          return [former, ufrag(), made.connections.length];
          """)
        let values = try #require(ufrags.array)
        #expect(values[0] != values[1], "the server answered with new ICE credentials")
        #expect(values[2] == 1, "no new connection was needed")
        try await page.untilJournaled(5)
        try await page.leave()
        let take = try await stage.service.finishedTake(in: "lost")
        #expect(take.tracks.count == 1)
        let losses = try #require(take.tracks.first).losses
        #expect(losses.isEmpty, "\(losses.map(\.text))")
        #expect(take.mix.frames > 5 * 48_000)
      }
    }

    @Test func aBrowserThatIsKilledLeavesAWholeTakeAndItsSeat() async throws {
      try await Stage.run("--grace", "2") { stage in
        let staying = try await stage.openStudio()
        let dying = try await stage.openStudio()
        try await staying.joinWithTone("crash", as: "Ada", frequency: 440)
        try await dying.joinWithTone("crash", as: "Bob", frequency: 660)
        try await staying.until("state.members.length === 2 && state.members.every((member) => member.publishing)")
        try await staying.untilJournaled(3)
        dying.crash()
        try await staying.until("state.members.length === 1")
        #expect(try await staying.text("#members").contains("Bob") == false)
        // The room plays on, and the seat is free again under the same name.
        try await staying.openWindow("another")
        try await staying.joinWithTone("crash", as: "Bob", frequency: 880, window: "another")
        try await staying.run("await another.jamjar.leave(); await jamjar.leave();")

        let take = try await stage.service.finishedTake(in: "crash")
        #expect(take.state == "ready")
        #expect(Set(take.tracks.map(\.sound.frames)) == [take.mix.frames])
        let killed = try #require(take.tracks.first { $0.participant == "Bob" })
        #expect(Signal.energy(Array(killed.sound.left.prefix(144_000).suffix(48_000))) > 100)
        #expect(!killed.gaps.isEmpty, "the track ends in a gap that is listed")
      }
    }
  }
}
