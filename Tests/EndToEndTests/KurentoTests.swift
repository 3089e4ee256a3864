import Foundation
import Signaling
import Testing

extension Dialects {
  /// Browser pages that speak Kurento's protocols (Pages/kurento.js), audible to each other and recorded.
  @Suite(.serialized) struct KurentoTests {
    private static let sockJS = "/usr/share/nodejs/sockjs-client/dist/sockjs.min.js"

    /// A page on which `me` is a client of the dialect at `path` that plays a tone of `frequency` Hz.
    ///
    /// - Parameter transport: the transport of SockJS to use, by the client of Debian's node-sockjs-client; nil for none.
    private func client(
      _ stage: Stage, _ frequency: Double, path: String = "/room", transport: String? = nil
    ) async throws -> Page {
      let page = try await stage.openStudio()
      if transport != nil { try await page.run(String(contentsOfFile: KurentoTests.sockJS, encoding: .utf8)) }
      try await page.run(
        PageScript.text("musician.js", "kurento.js")
          + "window.me = new KurentoMusician(arguments_[0], arguments_[1], arguments_[2]); await me.open();",
        .string(path), .number(frequency), .optional(transport))
      return page
    }

    @Test func threePagesHearEachOtherAndAreRecorded() async throws {
      try await Stage.run { stage in
        let tones = ["ann": 500.0, "bob": 800, "cy": 1_200]
        var pages: [String: Page] = [:]
        for (name, tone) in tones {
          let page = try await client(stage, tone)
          pages[name] = page
          try await page.run(
            """
            const others = await me.join("take5", arguments_[0]);
            if (others.some(({ streams }) => streams === undefined)) throw new Error("a member lacks streams");
            await me.publish();
            """, .string(name))
        }
        for (name, page) in pages {
          for other in tones.keys where other != name {
            let strangers = tones.filter { $0.key != other }.values.map { JSONValue.number($0) }
            try await page.run(
              "await me.hears(arguments_[0], [arguments_[1]], arguments_[2]);", .string(other),
              .number(tones[other] ?? 0), .array(strangers))
          }
        }
        let (ann, bob, cy) = try (
          #require(pages["ann"]), #require(pages["bob"]), #require(pages["cy"])
        )
        // The live mix: as a source of the room, without whoever asks, and by WHEP.
        try await ann.run("await me.receive('mix-minus'); await me.hears('mix-minus', [800, 1200], [500]);")
        try await bob.run("await me.receive('mix'); await me.hears('mix', [500, 800, 1200]);")
        try await bob.run(
          "await me.whep('/whep/take5/mix?without=cy', 'whep'); await me.hears('whep', [500, 800], [1200]);")
        let refused = try await ann.run(
          """
          const fourth = new KurentoMusician("/room", 100);
          await fourth.open();
          return await fourth.call("joinRoom", { user: "dan", room: "take5" }).then(() => 0, ({ code }) => code);
          """)
        #expect(refused == 201)
        // Whoever comes to those who play hears them at once; how soon is measured.
        let left = try await cy.run("return await me.leave();")
        #expect(left.object?["code"] == 1_000)
        let time = try await cy.run(
          """
          window.me = new KurentoMusician("/room", 1200);
          await me.open();
          const begun = performance.now();
          await me.join("take5", "cy");
          await me.hears("ann", [500]);
          return performance.now() - begun;
          """)
        print("Kurento: from join to the first audio \(Int(time.double ?? -1)) ms")
        let gone = try await ann.run(
          "return me.notifications.filter(({ method, params }) => method === 'participantLeft' && params.name === 'cy').length;"
        )
        #expect(gone == 1)
        for page in pages.values { try await page.run("await me.leave();") }
        let take = try await stage.service.finishedTake(in: "take5")
        #expect(Set(take.tracks.map(\.participant)) == ["ann", "bob", "cy"])
        for (name, tone) in tones {
          let share = try #require(take.track(of: name)).sound.share(of: tone)
          #expect(share > 0.8, "\(share) of what \(name)'s track holds is its tone")
        }
      }
    }

    /// The client of docs/kurento.md, as it stands there.
    private static let documented: String? = {
      let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
      let document = try? String(contentsOf: root.appendingPathComponent("docs/kurento.md"), encoding: .utf8)
      guard let begin = document?.range(of: "```js\n"),
        let end = document?.range(of: "\n```", range: begin.upperBound..<(document?.endIndex ?? begin.upperBound))
      else { return nil }
      return document.map { String($0[begin.upperBound..<end.lowerBound]) }
    }()

    @Test func theClientOfTheDocumentationPlaysAndHears() async throws {
      let code = try #require(KurentoTests.documented)
      try await Stage.run { stage in
        let (ann, bob) = (try await stage.openStudio(), try await stage.openStudio())
        for (page, name) in [(ann, "ann"), (bob, "bob")] {
          try await page.run(
            code
              + """
              window.logged = [];
              console.log = (line) => logged.push(line);
              window.me = await joinRoom(`${location.origin.replace("http", "ws")}/room`, "take5", arguments_[0]);
              """, .string(name))
        }
        for (page, other) in [(ann, "bob"), (bob, "ann")] {
          try await page.run(
            """
            await new Promise((resolve) => {
              const look = async () => {
                const stats = await me.peers.get(arguments_[0])?.getStats() ?? new Map();
                const heard = [...stats.values()].find(({ type }) => type === "inbound-rtp")?.packetsReceived ?? 0;
                if (heard > 50) resolve(); else setTimeout(look, 20);
              };
              look();
            });
            """, .string(other))
        }
        try await ann.run("await me.say('count in');")
        try await bob.untilTrue("logged.includes('ann: count in')")
        for page in [ann, bob] { try await page.run("await me.leave();") }
        let take = try await stage.service.finishedTake(in: "take5")
        #expect(Set(take.tracks.map(\.participant)) == ["ann", "bob"])
      }
    }

    @Test func aLoopbackComesBackAndIsRecordedOnce() async throws {
      try await Stage.run { stage in
        let page = try await client(stage, 500)
        try await page.run(
          "await me.join('loop', 'ann'); await me.publish(true); await me.hears('ann', [500]); await me.leave();")
        #expect(try await stage.service.finishedTake(in: "loop").tracks.map(\.participant) == ["ann"])
      }
    }

    /// KurentoTree.js reaches its service by this library.
    @Test func treePagesSpeakByTheRealSockJS() async throws {
      try await Stage.run { stage in
        let source = try await client(stage, 500, path: "/kurento-tree", transport: "xhr-streaming")
        try await source.run("await me.sendTree('gig');")
        for transport in ["websocket", "xhr-polling"] {
          let viewer = try await client(stage, 100, path: "/kurento-tree", transport: transport)
          try await viewer.run("await me.viewTree('gig'); await me.hears('tree', [500]);")
          #expect(try await viewer.run("return me.socket.transport;") == .string(transport))
          try await viewer.run("me.socket.close();")
        }
        try await source.run("await me.call('releaseTree', { treeId: 'gig' });")
        #expect(try await source.run("return me.socket.transport;") == "xhr-streaming")
        let take = try await stage.service.finishedTake(in: "gig")
        #expect(take.tracks.map(\.participant) == ["source"])
      }
    }

    @Test func viewersOfATreeHearItsSourceAndWhoeverTakesItsPlace() async throws {
      try await Stage.run { stage in
        let first = try await client(stage, 500, path: "/kurento-tree")
        let second = try await client(stage, 900, path: "/kurento-tree")
        let viewer = try await client(stage, 100, path: "/kurento-tree/websocket")
        try await first.run("await me.sendTree('gig');")
        try await viewer.run("await me.viewTree('gig'); await me.hears('tree', [500]);")
        try await second.run("await me.sendTree('gig');")
        try await viewer.run("await me.hears('tree', [900], [500]);")
        try await second.run("await me.call('releaseTree', { treeId: 'gig' });")
        let take = try await stage.service.finishedTake(in: "gig")
        #expect(take.tracks.map(\.participant) == ["source"])
      }
    }
  }
}
