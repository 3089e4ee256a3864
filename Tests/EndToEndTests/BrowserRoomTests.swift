import Foundation
import Signaling
import Testing

extension Dialects {
  /// What a musician sees on the page.
  @Suite(.serialized) struct BrowserRoomTests {
    @Test func aFourthMusicianIsToldOnThePageThatTheRoomIsFull() async throws {
      try await Stage.run { stage in
        let service = stage.service
        for name in ["Ada", "Bob", "Cat"] {
          let answer = try await HTTP.send(
            "POST", "\(service.address)/v1/rooms/full/rtp",
            json: ["name": .string(name), "profile": "RTP/AVP", "payloadType": 111])
          #expect(answer.status == 201)
        }
        // A link of before, with the room in the query, leads to the room's door.
        let page = try await stage.openStudio(at: "/?room=full&name=Dan")
        try await page.untilTrue("location.pathname === '/rooms/full'")
        try await page.untilShown("#enter")
        try await page.run("document.getElementById('enter').click();")
        try await page.untilShown("#problem")
        let text = try await page.text("[role=alert]")
        #expect(text.contains("All 3 seats of full are taken"))
        try await page.untilTrue("!document.getElementById('enter').disabled")
        // Whoever only listens still comes in.
        let state = try await page.join("full", as: "Dan", ["listener": true])
        #expect(state.object?["members"]?.array?.count == 4)
      }
    }

    @Test func whoDoesNotConsentIsHeardAndHasNoTrack() async throws {
      try await Stage.run { stage in
        let service = stage.service
        let page = try await stage.openStudio()
        try await page.openWindow("other")
        try await page.joinWithTone("consent", as: "Shy", frequency: 500, window: "other", consent: false)
        try await page.joinWithTone("consent", as: "Ada", frequency: 400)
        let state = try await page.until(
          "state.members.length === 2 && state.members.every((member) => member.publishing) && state.take")
        let shy = try #require(
          state.object?["members"]?.array?.first { $0.object?["consent"] == false }?.object?["participant"]?.object?[
            "id"]
        )
        // Heard: the level of what arrives from Shy, at whichever packet it comes.
        try await page.run(
          """
          await new Promise((resolve) => {
            const look = () => jamjar.level(arguments_[0]) > 0.1 ? resolve() : requestAnimationFrame(look);
            look();
          });
          """, shy)
        #expect(try await page.text("#members").contains("not recorded"))
        try await page.untilJournaled(2)
        try await page.run("await jamjar.leave(); await other.jamjar.leave();")
        let take = try await service.finishedTake(in: "consent")
        #expect(take.tracks.map(\.participant) == ["Ada"])
      }
    }

    @Test func takesCuesAndMessagesGoThroughThePageWithTheKeyboard() async throws {
      try await Stage.run("--recording", "manual") { stage in
        let page = try await stage.openStudio()
        try await page.joinWithTone("manual", as: "Ada", frequency: 440)
        try await page.until("state.members[0].publishing")
        #expect(try await page.text("#recording-text") == "Not recording")
        #expect(try await page.run("return document.activeElement.id;") == "members-title")
        try await page.submit("#take-form", ["#song": "Autumn Leaves"])
        try await page.until("state.take")
        #expect(try await page.text("#recording-text") == "Recording · Take 1 · Autumn Leaves")
        let cued = "await new Promise((resolve) => jamjar.events.addEventListener('cue', resolve, { once: true }));"
        try await page.submit("#cue-form", ["#cue": "bridge <b>"], then: cued)
        #expect(try await page.text("#cues").contains("bridge <b>"))
        let said = cued.replacingOccurrences(of: "'cue'", with: "'message'")
        try await page.submit("#message-form", ["#message": "again?"], then: said)
        #expect(try await page.text("#messages").contains("Ada: again?"))
        try await page.untilJournaled(2)
        let finished = cued.replacingOccurrences(of: "'cue'", with: "'takeFinished'")
        try await page.run(
          "const end = (async () => { \(finished) })(); document.getElementById('take-stop').click(); await end;")
        // It is in the list at once, and the browser itself can play the mix.
        try await page.untilTrue(
          "document.querySelector('.take-strip .name')?.placeholder === 'Take 1 · Autumn Leaves'")
        let duration = try await page.run(
          """
          const audio = new Audio(document.querySelector(".take-strip a").href.replace("/takes/", "/v1/takes/") + "/mix");
          await new Promise((resolve, reject) => {
            audio.addEventListener("loadedmetadata", resolve);
            audio.addEventListener("error", () => reject(new Error(audio.error.message)));
          });
          return audio.duration;
          """)
        #expect((duration.double ?? 0) > 1.5)
      }
    }

    @Test func garbageOnTheLinkIsAnsweredAndDisturbsNobody() async throws {
      try await Stage.run { stage in
        let page = try await stage.openStudio()
        try await page.joinWithTone("garbage", as: "Ada", frequency: 440)
        try await page.until("state.take")
        let answers = try await page.run(
          """
          const socket = new WebSocket(`ws://${location.host}/v1/rooms/garbage/signal`);
          const answers = [];
          await new Promise((resolve) => { socket.onopen = resolve; });
          const ask = (message) => new Promise((resolve) => {
            socket.onmessage = ({ data }) => resolve(answers.push(JSON.parse(data).error.code));
            socket.send(message);
          });
          await ask("garbage");
          await ask("[".repeat(100000));
          await ask('{"id":1,"method":"explode"}');
          await ask('{"id":2,"method":"takeStop"}');
          await ask(new Uint8Array(1000));
          const end = new Promise((resolve) => { socket.onclose = ({ code }) => resolve(code); });
          socket.send("x".repeat(1000000));
          answers.push(await end);
          return answers;
          """)
        let codes = answers.array?.map { $0.string ?? $0.text } ?? []
        #expect(codes.prefix(5) == ["malformed", "too-large", "unknown-method", "not-joined", "malformed"])
        #expect(codes.last == "1009")
        try await page.untilJournaled(1)
        #expect(try await page.run("return jamjar.state.phase;") == "joined")
      }
    }
  }
}
