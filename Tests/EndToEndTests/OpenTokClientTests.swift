import Foundation
import Signaling
import Testing

extension Dialects {
  /// Pages that speak OpenTok's client wire (Pages/opentok.js), with real media.
  @Suite(.serialized) struct OpenTokClientTests {
    private static let key = "46000001"
    private static let secret = String(repeating: "a1b2", count: 10)

    /// A stage with a project of OpenTok, and a session in it.
    private func run(_ body: (Stage, Page, String) async throws -> Void) async throws {
      let projects = "\(OpenTokClientTests.key):\(OpenTokClientTests.secret)"
      try await Stage.run([], environment: ["JAMJAR_OPENTOK_PROJECTS": projects]) { stage in
        let desk = try await page(stage)
        let session = try await desk.run("return await desk.createSession();")
        try await body(stage, desk, try #require(session.string))
      }
    }

    private func page(_ stage: Stage) async throws -> Page {
      let page = try await stage.openStudio()
      try await page.run(
        PageScript.text("musician.js", "opentok.js")
          + "window.desk = new openTokServer(arguments_[0], arguments_[1]);",
        .string(OpenTokClientTests.key), .string(OpenTokClientTests.secret))
      return page
    }

    /// A page on which `me` is connected.
    private func client(
      _ stage: Stage, _ session: String, _ data: String, role: String = "publisher", tone: Double = 500
    ) async throws -> Page {
      let page = try await page(stage)
      try await page.run(
        """
        const token = await desk.clientToken(arguments_[0], arguments_[1], arguments_[2]);
        window.me = new OpenTokClient(arguments_[0], token, arguments_[3]);
        await me.connect();
        """, .string(session), .string(role), .string(data), .number(tone))
      return page
    }

    @Test func threePagesHearEachOtherAndAreRecorded() async throws {
      try await run { stage, _, session in
        let tones = ["ann": 500.0, "bob": 800, "cy": 1_200]
        var pages: [String: Page] = [:]
        for (name, tone) in tones {
          let page = try await client(stage, session, name, tone: tone)
          pages[name] = page
          try await page.run("await me.publish(arguments_[0]);", .string("\(name)'s stream"))
        }
        for (name, page) in pages {
          for (other, tone) in tones where other != name {
            try await page.run(
              """
              const stream = await me.streamOf(arguments_[0]);
              if (me.streams.get(stream).name !== `${arguments_[0]}'s stream`) throw new Error("a stream has another name");
              await me.subscribe(stream);
              await me.hears(stream, arguments_[1]);
              """, .string(other), .number(tone))
          }
        }
        let (ann, bob, cy) = try (#require(pages["ann"]), #require(pages["bob"]), #require(pages["cy"]))
        // A session may be subscribed to one's own stream.
        try await ann.run("await me.subscribe(me.streamID); await me.hears(me.streamID, 500);")
        // The take is seen as an archive, also by a client that comes late.
        try await ann.run("await me.until(() => [...me.archives.values()].some(({ status }) => status === 'started'));")
        let late = try await client(stage, session, "dan", role: "subscriber")
        let archives = try await late.run("return me.archives.size;")
        #expect(archives == 1)
        // Seats are for those who play: a fourth publisher has to wait.
        let fourth = try await client(stage, session, "eve")
        let full = try await fourth.run("return await me.publish('x').then(() => 0, ({ code }) => code);")
        #expect(full == 409)
        try await bob.run("await me.request('delete', `/stream/${me.streamID}`, {});")
        try await ann.run("await me.until(() => me.streams.size === 2);")
        try await fourth.run("await me.publish('x'); await me.until(() => me.streams.has(me.streamID));")
        for page in [ann, bob, cy, late, fourth] { try await page.run("await me.disconnect();") }
        let takes = try await stage.service.get("/v1/takes")
        let room = try #require(takes.object?["items"]?.array?.first?.object?["room"]?.string)
        let take = try await stage.service.finishedTake(in: room)
        #expect(Set(take.tracks.map(\.participant)).isSuperset(of: ["ann", "bob", "cy"]))
        for (name, tone) in tones {
          let share = try #require(take.track(of: name)).sound.share(of: tone)
          #expect(share > 0.8, "\(share) of what \(name)'s track holds is its tone")
        }
      }
    }

    @Test func signalsAndMutesReachTheOthers() async throws {
      try await run { stage, _, session in
        let ann = try await client(stage, session, "ann")
        let bob = try await client(stage, session, "bob", tone: 800)
        try await ann.run("await me.publish('a');")
        try await bob.run(
          "await me.subscribe(await me.streamOf('ann')); await me.hears(await me.streamOf('ann'), 500);")
        // To everybody, the sender too; to one.
        try await ann.run("await me.signal('chat', 'count in');")
        for page in [ann, bob] {
          try await page.run("await me.until(() => me.signals.length === 1);")
          let signal = try await page.run("return `${me.signals[0].type} ${me.signals[0].data}`;")
          #expect(signal == "chat count in")
        }
        let from = try await bob.run("return me.signals[0].from === me.connectionOf('ann');")
        #expect(from == true)
        try await bob.run("await me.signal('aside', 'psst', me.connectionOf('ann'));")
        try await ann.run("await me.until(() => me.signals.some(({ data }) => data === 'psst'));")
        let overheard = try await bob.run("return me.signals.length;")
        #expect(overheard == 1)
        let nobody = try await ann.run(
          "return await me.code('signal', `/connection/${crypto.randomUUID()}/signal/1`, {data: ''});")
        #expect(nobody == 404)
        // The stream says that it is muted, and that it no longer is.
        try await ann.run("await me.request('update', `/stream/${me.streamID}/channel/audio1`, { active: false });")
        try await bob.run("await me.until(() => !me.streams.get([...me.streams.keys()][0]).channel[0].active);")
        try await ann.run("await me.request('update', `/stream/${me.streamID}/channel/audio1`, { active: true });")
        try await bob.run("await me.until(() => me.streams.get([...me.streams.keys()][0]).channel[0].active);")
      }
    }

    @Test func oneClientPublishesTwoStreamsAndBothAreTracks() async throws {
      try await run { stage, _, session in
        let ann = try await client(stage, session, "ann")
        let bob = try await client(stage, session, "bob", role: "subscriber")
        try await ann.run("await me.publish('guitar', 500); await me.publish('voice', 1200);")
        try await bob.run(
          """
          for (const [name, tone] of [["guitar", 500], ["voice", 1200]]) {
            const stream = await me.streamNamed(name);
            if (me.streams.get(stream).connection.id !== me.connectionOf("ann")) throw new Error("another's stream");
            await me.subscribe(stream);
            await me.hears(stream, tone);
          }
          if (me.connections.size !== 2) throw new Error(`${me.connections.size} connections`);
          """)
        // The end of one is not that of the other.
        try await ann.run("await me.request('delete', `/stream/${await me.streamNamed('guitar')}`, {});")
        try await bob.run(
          "await me.until(() => me.streams.size === 1); await me.hears(await me.streamNamed('voice'), 1200);")
        try await ann.run("await me.disconnect();")
        try await bob.run("await me.until(() => me.streams.size === 0 && me.connections.size === 1);")
        try await bob.run("await me.disconnect();")
        let takes = try await stage.service.get("/v1/takes")
        let room = try #require(takes.object?["items"]?.array?.first?.object?["room"]?.string)
        let take = try await stage.service.finishedTake(in: room)
        #expect(take.tracks.count == 2)
        for tone in [500.0, 1_200] {
          #expect(try take.tracks.contains { try $0.sound.share(of: tone) > 0.8 }, "no track holds \(tone) Hz")
        }
      }
    }

    @Test func moderatorsDoWhatOthersMayNot() async throws {
      try await run { stage, _, session in
        let ann = try await client(stage, session, "ann")
        let bob = try await client(stage, session, "bob")
        let chief = try await client(stage, session, "chief", role: "moderator")
        try await ann.run("await me.publish('a');")
        try await bob.run("await me.streamOf('ann');")
        let codes = try await bob.run(
          """
          const stream = await me.streamOf('ann');
          return [
            await me.code('delete', `/stream/${stream}`), await me.code('delete', `/connection/${me.connectionOf('ann')}`),
            await me.code('update', `/stream/${stream}/channel/audio1`, { active: false }),
          ];
          """)
        #expect(codes == [403, 403, 403])
        try await chief.run(
          """
          const stream = await me.streamOf('ann');
          await me.subscribe(stream);
          await me.hears(stream, 500);
          await me.request('update', `/stream/${stream}/channel/audio1`, { active: false });
          await me.hearsNothing(stream, 500);
          await me.until(() => !me.streams.get(stream).channel[0].active);
          """)
        // She may unmute herself.
        try await ann.run("await me.request('update', `/stream/${me.streamID}/channel/audio1`, { active: true });")
        try await chief.run("await me.hears(await me.streamOf('ann'), 500);")
        try await chief.run("await me.request('delete', `/stream/${await me.streamOf('ann')}`, {});")
        try await ann.run("await me.until(() => me.log.some((line) => line.endsWith('forceUnpublished')));")
        // The connection stays, and may publish again.
        try await ann.run("await me.publish('b'); await me.until(() => me.streams.has(me.streamID));")
        try await chief.run("await me.request('delete', `/connection/${me.connectionOf('ann')}`, {});")
        try await ann.run("await me.until(() => me.disconnected === 'forceDisconnected' && me.closing?.code === 1000);")
        try await bob.run("await me.until(() => !me.connectionOf('ann'));")
        let reason = try await bob.run("return me.log.find((line) => line.startsWith('deleted connection'));")
        #expect(reason.string?.hasSuffix("forceDisconnected") == true)
      }
    }

    /// Everything at once: the SDK's server, a page of the wire, and a musician of another protocol.
    @Test func thePythonSDKRunsASessionOfAPageAndAnAiortcMusician() async throws {
      try await run { stage, _, session in
        let page = try await client(stage, session, "page", tone: 800)
        try await page.run("await me.publish('page');")
        let path = stage.service.path("ada.wav")
        try WaveFile.write(Tune(seed: 22, length: 12).sound(rate: 48_000, seconds: 0..<12), to: path)
        let sdk = try PythonPeer.start(
          "opentok_shared.py",
          [stage.service.address, OpenTokClientTests.key, OpenTokClientTests.secret, session, path])
        try await page.run(
          """
          await me.until(() => me.streams.size === 2);
          await me.until(() => [...me.archives.values()].some(({ status }) => status === "started"));
          await me.until(() => me.signals.some(({ type, data }) => type === "chat" && data === "count in"));
          await me.until(() => !me.streams.get(me.streamID).channel[0].active);
          await me.until(() => me.disconnected === "forceDisconnected");
          """)
        #expect(await sdk.exitStatus() == 0, "\(sdk.text)")
        #expect(sdk.text.contains("\"done\""), "\(sdk.text)")
      }
    }

    @Test func aCutSocketIsReplacedAndNothingIsLostOrSaidTwice() async throws {
      try await run { stage, _, session in
        let ann = try await client(stage, session, "ann")
        let bob = try await client(stage, session, "bob", tone: 800)
        try await ann.run("await me.publish('a');")
        try await bob.run(
          "await me.subscribe(await me.streamOf('ann')); await me.hears(await me.streamOf('ann'), 500);")
        try await ann.run("me.cut(); await me.until(() => me.socket.readyState !== WebSocket.OPEN);")
        // While she has no socket: a signal to her, and one of hers, which waits on her page.
        try await bob.run("await me.signal('chat', 'are you there?');")
        try await ann.run("me.sent = me.signal('chat', 'yes'); await me.until(() => me.sockets === 2); await me.sent;")
        try await ann.run("await me.until(() => me.signals.length === 2);")
        try await bob.run(
          "await me.until(() => me.signals.length === 2); await me.hears(await me.streamOf('ann'), 500);")
        let words = try await ann.run("return me.signals.map(({ data }) => data).sort().join(' ');")
        #expect(words == "are you there? yes")
        // It is the same connection with the same stream: nobody was told of a departure.
        let departures = try await bob.run("return me.log.filter((line) => line.startsWith('deleted')).length;")
        #expect(departures == 0)
        let count = try await bob.run("return me.connections.size;")
        #expect(count == 2)
        // Nobody comes back to a session that has ended.
        try await ann.run("await me.disconnect();")
        let code = try await ann.run(
          """
          me.isLeaving = false;
          me.closing = undefined;
          await me.open(true);
          me.send({ kind: 7 });
          await me.until(() => me.closing);
          return me.closing.code;
          """)
        #expect(code == 1011)
      }
    }

    @Test func wrongTokensAndSessionsAreRefused() async throws {
      try await run { stage, desk, session in
        let codes = try await desk.run(
          """
          const session = arguments_[0];
          const other = await desk.createSession();
          const stranger = new openTokServer(desk.key, "another secret that has forty characters");
          const tokens = [
            await stranger.clientToken(session, "publisher", ""), await desk.clientToken(other, "publisher", ""),
            await desk.clientToken(session, "emperor", ""), await desk.clientToken(session, "publisher", "x".repeat(10000)),
            "T1==", "", (await desk.clientToken(session, "publisher", "")).slice(0, -2),
          ];
          const codes = [];
          for (const token of tokens) {
            codes.push(await new OpenTokClient(session, token, 1).connect().then(() => 0, ({ code }) => code));
          }
          return codes;
          """, .string(session))
        #expect(codes == [403, 403, 403, 403, 403, 403, 403])
        // On the wire as well, where the token is shown again.
        let client = try await client(stage, session, "ann")
        let refused = try await client.run(
          """
          const other = new OpenTokClient(arguments_[0], me.token, 1);
          other.info = me.info;
          other.base = me.base;
          other.pending.push({ kind: 3, headers: { uniqueId: other.id, "TRANSACTION-ID": "c" } });
          await other.open(false);
          return await other.request("create", `/connection/${other.id}`, {}, { "X-TB-TOKEN-AUTH": "T1==" })
            .then(() => 0, ({ code }) => code);
          """, .string(session))
        #expect(refused == 403)
      }
    }
  }
}
