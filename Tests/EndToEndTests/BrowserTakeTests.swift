import Foundation
import Music
import Signaling
import Testing

extension Players {
  /// Real browsers, real sound, files on disk.
  @Suite(.serialized) struct BrowserTakeTests {
    /// What the issue asks of each track against its WAV.
    private static let coefficient = 0.95
    private static let levelTolerance = 1.0
    private static let offsetTolerance = 0.005
    /// Two channels that have nothing in common: chance and the codec's joint stereo leave a few percent.
    private static let crosstalk = 0.15
    /// The time without a left-out beat must be so long, in seconds, to be compared but for a little at either end: the
    /// first packets are on their way half a second after the microphone opened, the last may not be on disk yet.
    private static let shortest = 5.0
    private static let lead = 0.8
    private static let tail = 0.2
    /// How often they play again where the machine is too busy to play in time.
    private static let attempts = 4

    /// Three browsers with three microphones.
    private struct Trio {
      static let names = ["Ada", "Bob", "Cat"]

      var microphones: [Microphone] = []
      var pages: [Page] = []

      init(on stage: Stage) async throws {
        for seed in 1...Trio.names.count {
          let (microphone, page) = try await stage.openMusician(seed: UInt64(seed))
          microphones.append(microphone)
          pages.append(page)
        }
      }

      /// All join, hear each other, play until there is something to compare, leave; nil where there never was, because a
      /// fake microphone left beats out all the time.
      func play(in room: String) async throws -> SteadyTime? {
        for (name, page) in zip(Trio.names, pages) {
          try await page.prepareWitness()
          try await page.join(room, as: name, ["part": "guitar"])
        }
        for page in pages {
          try await page.until(
            "Object.keys(state.peers).length === 3 && Object.values(state.peers).every((peer) => peer === 'connected')")
        }
        let steady = try await SteadyTime.playing(
          Array(zip(microphones, pages)), lasting: BrowserTakeTests.shortest)
        #expect(try await pages[1].text("#recording-text").hasPrefix("Recording"))
        for page in pages { try await page.leave() }
        return steady
      }
    }

    @Test func threeMusiciansInThreeBrowsersBecomeThreeAlignedTracksAndAMix() async throws {
      try await Stage.run { stage in
        let trio = try await Trio(on: stage)
        var best: (take: Service.RecordedTake, steady: SteadyTime, bound: Double)?
        for attempt in 1...BrowserTakeTests.attempts {
          let steady = try await trio.play(in: "trio \(attempt)")
          let take = try await stage.service.finishedTake(in: "trio \(attempt)")
          #expect(take.state == "ready")
          #expect(take.tracks.count == 3)
          // The take says how well it knows its places: round trips of a busy machine are long ones.
          let bound = take.tracks.map(\.errorBound).max() ?? .infinity
          if let steady, bound < best?.bound ?? .infinity { best = (take, steady, bound) }
          if bound < BrowserTakeTests.offsetTolerance / 2 { break }
        }
        let (take, steady, _) = try #require(
          best, "this machine is too busy: a fake microphone left beats out all the time")
        try check(take, of: trio, in: steady)
      }
    }

    private func check(_ take: Service.RecordedTake, of trio: Trio, in steady: SteadyTime) throws {
      let zero = Double(take.startedAt.milliseconds) / 1e3
      let start = steady.begin - zero + BrowserTakeTests.lead
      let end = steady.end - zero - BrowserTakeTests.tail
      var comparisons: [Comparison] = []
      for (index, name) in Trio.names.enumerated() {
        let track = try #require(take.track(of: name))
        #expect(track.part == "guitar")
        #expect(track.sound.channels.count == 2)
        #expect(track.sound.rate == 48_000)
        #expect(track.sound.frames == take.mix.frames)
        let comparison = try #require(
          Comparison(
            track.sound, with: trio.microphones[index].tune, expected: steady.origins[index] - zero, from: start,
            to: end),
          "nothing of \(name)'s music is in the track")
        #expect(comparison.coefficients.allSatisfy { $0 > BrowserTakeTests.coefficient })
        #expect(comparison.levels.allSatisfy { abs($0) < BrowserTakeTests.levelTolerance })
        #expect(comparison.crosstalk < BrowserTakeTests.crosstalk)
        comparisons.append(comparison)
      }
      // The tracks lie to each other as the microphones did, however long each network path was, at all times. Measured:
      // 0.5 ms, the better part of which is the clocks of the browsers' processes.
      for (left, right) in [(0, 1), (0, 2), (1, 2)] {
        let played = steady.origins[right] - steady.origins[left]
        let errors = zip(comparisons[left].origins, comparisons[right].origins).map { $1 - $0 - played }
        // What the take itself says is held to in any case; on a machine that has a moment to spare it says far less.
        let bounds = [left, right].compactMap { take.track(of: Trio.names[$0])?.errorBound }.reduce(0, +)
        let tolerance = max(BrowserTakeTests.offsetTolerance, bounds)
        #expect(
          errors.allSatisfy { abs($0) < tolerance },
          "\(Trio.names[left]) and \(Trio.names[right]) are \(errors) s apart")
      }
      let shares = MixShares(take.mix, of: comparisons, from: start)
      #expect(shares.explained > 0.9, "the mix holds something else than the three")
      #expect(shares.gains.allSatisfy { $0 > 0.1 && abs($0 / shares.gains[0] - 1) < 0.2 }, "all three are in the mix")
    }

    @Test func aPageThatIsLoadedAnewGoesOnInTheSameTrack() async throws {
      try await Stage.run { stage in
        let (microphone, page) = try await stage.openMusician(seed: 7)
        try await page.prepareWitness()
        let before = try await page.join("reload", as: "Ada")
        try await page.untilJournaled(5)
        let first = try #require(try microphone.witnessed(try await page.witness()).line(from: 0))
        try await page.reload()
        try await page.prepareWitness()
        // Nobody clicks: the page goes back to its seat by itself, and the position goes on from the same zero.
        let after = try await page.until(
          "state.phase === 'joined' && state.peers.microphone === 'connected' && state.take")
        #expect(after.object?["participant"] == before.object?["participant"])
        #expect(after.object?["take"]?.object?["number"] == 1)
        try await page.untilJournaled(13)
        let second = try #require(try microphone.witnessed(try await page.witness()).line(from: 0))
        try await page.leave()

        let take = try await stage.service.finishedTake(in: "reload")
        #expect(try await stage.service.takes(in: "reload").count == 1)
        #expect(take.tracks.count == 1)
        let track = try #require(take.tracks.first)
        #expect(!track.gaps.isEmpty, "the time between the two pages is a gap")
        let zero = Double(take.startedAt.milliseconds) / 1e3
        let length = Double(track.sound.frames) / Double(track.sound.rate)
        for (line, start, end) in [(first, 1.0, 5.0), (second, second.begin - zero + 1, length)] {
          // Where a page that is loading leaves out blocks, the tune is in pieces; in one second at least it is whole.
          let windows = stride(from: start, through: end - 1, by: 0.5).compactMap {
            Comparison(track.sound, with: microphone.tune, expected: line.origin - zero, from: $0, to: $0 + 1)
          }
          #expect(windows.contains { $0.coefficients.allSatisfy { $0 > BrowserTakeTests.coefficient } }, "\(windows)")
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
