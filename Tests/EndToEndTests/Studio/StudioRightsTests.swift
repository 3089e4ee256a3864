import Foundation
import Signaling
import Testing

extension Doors {
  /// What the page offers to listeners, moderators and strangers, and what they can do with it.
  @Suite(.serialized) struct StudioRightsTests {
    private static let secret = "a secret of at least thirty-two bytes for this test"
    private static let keys = ["JAMJAR_JOIN_SECRET": secret, "JAMJAR_API_KEYS": "a-key-of-more-than-sixteen"]

    /// A join token for the room "den", made by the page as any JWT library does.
    private func token(_ role: String, expiry: Int = 4_000_000_000, by page: some WebPage) async throws -> String {
      let token = try await page.run(
        """
        const bytes = new TextEncoder(), encode = (data) => btoa(String.fromCharCode(...data)).replaceAll("+", "-")
          .replaceAll("/", "_").replaceAll("=", "");
        const piece = (value) => encode(bytes.encode(JSON.stringify(value)));
        const body = piece({ alg: "HS256", typ: "JWT" }) + "." + piece({ room: "den", role: arguments_[1], exp: \(expiry) });
        const key = await crypto.subtle.importKey("raw", bytes.encode(arguments_[0]), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
        return body + "." + encode(new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes.encode(body))));
        """, .string(StudioRightsTests.secret), .string(role))
      return try #require(token.string)
    }

    @Test func aListenersTokenIsOfferedNothingThatChangesTheRoom() async throws {
      try await Stage.run([], environment: StudioRightsTests.keys) { stage in
        // The guest is there first: what the musicians share is seen once they make it.
        let address = stage.service.address
        let (guest, ada) = try await stage.openTwoBrowsers()
        for page in [guest, ada] { try await page.open("\(address)/healthz") }
        let (listening, playing) = (try await token("listener", by: guest), try await token("musician", by: ada))
        try await guest.open("\(address)/rooms/den?name=Lea#token=\(listening)")
        try await guest.untilShown("#listener")
        try await guest.run("document.getElementById('listener').click(); document.getElementById('enter').click();")
        try await guest.until("state.phase === 'joined'")
        try await ada.open("\(address)/rooms/den?name=Ada#token=\(playing)")
        try await ada.untilShown("#enter")
        try await ada.run("document.getElementById('enter').click();")
        try await ada.untilJournaled(1)
        try await ada.run(
          "const sheet = document.getElementById('sheet'); sheet.value = 'Dm7 G7'; sheet.dispatchEvent(new Event('input'));"
        )

        try await guest.untilTrue("document.getElementById('sheet').value === 'Dm7 G7'")
        try await guest.untilShown("#recording[data-rolling=true]")
        #expect(try await guest.run("return document.getElementById('sheet').readOnly;") == true)
        for hidden in ["take-form", "take-start", "take-stop", "take-split", "cue-form"] {
          #expect(
            try await guest.run("return document.getElementById('\(hidden)').checkVisibility();") == false, "\(hidden)")
        }
        // Nor by the keys, nor by asking anyway.
        for key in ["s", "c"] {
          try await guest.run(
            "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '\(key)', bubbles: true }));")
        }
        for method in ["takeStop", "takeSplit"] {
          let code = try await guest.run(
            "return await jamjar.studio.request('\(method)').then(() => 'done', (error) => error.code);")
          #expect(code == "forbidden", "\(method)")
        }
        #expect(try await ada.run("return [jamjar.studio.take.number, jamjar.studio.cues.length];") == [1, 0])
        for page in [guest, ada] {
          // The page on which the token was made has no icon.
          let complaints = try await page.complaints().filter { !$0.contains("favicon.ico") }
          #expect(complaints.isEmpty, "\(complaints)")
        }
      }
    }

    @Test func whoOnlyListensInAServiceWithoutKeysIsNotOfferedToRemoveAnybody() async throws {
      try await Stage.run { stage in
        let (guest, ada) = (try await stage.openStudio(), try await stage.openStudio())
        try await ada.joinWithTone("open", as: "Ada", frequency: 440)
        try await guest.join("open", as: "Lea", ["listener": true])
        for page in [guest, ada] { try await page.untilTrue("document.querySelectorAll('.member').length === 2") }
        // A musician may, behind “…” of each.
        try await ada.untilTrue("document.querySelector('.remove') !== null")
        #expect(try await guest.run("return document.querySelectorAll('.remove, .silence').length;") == 0)
      }
    }

    @Test func anInvitationThatHasExpiredSaysWhatToDo() async throws {
      try await Stage.run([], environment: StudioRightsTests.keys) { stage in
        let page = try await stage.openBrowser()
        try await page.open("\(stage.service.address)/healthz")
        let old = try await token("musician", expiry: 1_600_000_000, by: page)
        try await page.open("\(stage.service.address)/?room=den#token=\(old)")
        try await page.untilShown("form[data-lapse=expired]")
        let words = try await page.text("main")
        #expect(words.contains("Your invitation has expired") && words.contains("new link"), "\(words)")
        // A new one, opened in the same browser.
        let new = try await token("musician", by: page)
        try await page.open("\(stage.service.address)/?room=den&again=1#token=\(new)")
        try await page.untilShown("#enter")
      }
    }

    @Test func aModeratorRemovesAMemberWhosePageSaysSoAndStaysOut() async throws {
      try await Stage.run([], environment: StudioRightsTests.keys) { stage in
        let address = stage.service.address
        let (mia, lea) = try await stage.openTwoBrowsers()
        for page in [mia, lea] { try await page.open("\(address)/healthz") }
        let (moderating, listening) = (try await token("moderator", by: mia), try await token("listener", by: lea))
        for (page, name, key) in [(mia, "Mia", moderating), (lea, "Lea", listening)] {
          try await page.open("\(address)/rooms/den?name=\(name)#token=\(key)")
          try await page.untilShown("#listener")
          try await page.run("document.getElementById('listener').click(); document.getElementById('enter').click();")
          try await page.until("state.phase === 'joined'")
        }
        #expect(try await lea.run("return document.querySelector('.remove') === null;") == true)
        try await mia.untilTrue("document.querySelectorAll('.remove').length === 1")
        // A slip removes nobody.
        try await mia.run("document.querySelector('.remove').click();")
        #expect(try await mia.run("return jamjar.studio.members.size;") == 2)
        try await mia.run("document.querySelector('.remove').click();")
        try await lea.untilShown(".state-card[data-code=removed]")
        #expect(try await lea.text(".state-card h1").contains("removed from this room"))
        try await lea.until("state.phase === 'idle'")
        try await mia.untilTrue("jamjar.studio.members.size === 1")
      }
    }

    @Test func aModeratorsMuteSilencesThePageUntilItIsLifted() async throws {
      try await Stage.run([], environment: StudioRightsTests.keys) { stage in
        let address = stage.service.address
        let (mia, ada) = try await stage.openTwoBrowsers()
        for page in [mia, ada] { try await page.open("\(address)/healthz") }
        let (moderating, playing) = (try await token("moderator", by: mia), try await token("musician", by: ada))
        try await mia.open("\(address)/rooms/den?name=Mia#token=\(moderating)")
        try await mia.untilShown("#listener")
        try await mia.run("document.getElementById('listener').click(); document.getElementById('enter').click();")
        try await ada.open("\(address)/rooms/den?name=Ada#token=\(playing)")
        try await ada.untilShown("#enter")
        try await ada.run("document.getElementById('enter').click();")
        try await ada.untilJournaled(1)
        #expect(try await ada.run("return document.querySelector('.silence') === null;") == true)
        try await mia.untilTrue("document.querySelectorAll('.silence').length === 1")
        try await mia.run("document.querySelector('.silence').click();")
        try await ada.untilShown("#problem")
        #expect(try await ada.text("#problem-text").contains("Mia has muted you"))
        try await ada.untilTrue("document.getElementById('members').innerText.includes('muted by a moderator')")
        #expect(try await ada.run("return jamjar.studio.microphone.isMuted;") == true)
        // One's own mute is another, which lifts nothing.
        for isMuted in [true, false] {
          try await ada.press("m")
          try await ada.untilTrue("jamjar.state.isMuted === \(isMuted)")
        }
        #expect(try await ada.run("return jamjar.studio.microphone.isMuted;") == true)
        try await ada.reload()
        try await ada.until("state.phase === 'joined' && state.peers.microphone === 'connected'")
        #expect(try await ada.run("return jamjar.studio.microphone.isMuted;") == true)
        try await mia.untilTrue("document.querySelector('.silence').textContent === 'Unmute for all'")
        try await mia.run("document.querySelector('.silence').click();")
        try await ada.untilTrue("!jamjar.studio.microphone.isMuted")
      }
    }

    @Test func aTokenOpensItsRoomAndNothingElse() async throws {
      // The doctor's time server is one that nobody answers for.
      let settings = StudioRightsTests.keys.merging(["JAMJAR_NTP": "127.0.0.1:9"]) { one, _ in one }
      try await Stage.run([], environment: settings) { stage in
        let page = try await stage.openBrowser()
        try await page.open("\(stage.service.address)/rooms/den?name=Ada#token=garbage")
        try await page.untilShown("#enter")
        try await page.run("document.getElementById('enter').click();")
        try await page.untilShown("#problem")
        #expect(try await page.text("#problem-text").contains("token"))
        // The token is not left in the address, where it would be copied along.
        #expect(try await page.run("return location.hash;") == "")

        let key = try await token("musician", by: page)
        try await page.open("\(stage.service.address)/rooms/den?name=Ada&again=1#token=\(key)")
        try await page.untilShown("#enter")
        try await page.run("document.getElementById('enter').click();")
        try await page.until("state.phase === 'joined' && state.take")
        try await page.untilJournaled(1)
        let finished = "await new Promise((resolve) => jamjar.events.addEventListener('takeFinished', resolve));"
        try await page.run(
          "const end = (async () => { \(finished) })(); document.getElementById('take-stop').click(); await end;")
        // The take is there for whoever played it: listed, heard, downloaded.
        try await page.untilTrue("document.querySelector('.takes-at-hand a[href^=\"/takes/\"]')")
        let answers = try await page.run(
          """
          const status = async (path, options) => (await fetch(path, options)).status;
          const { items: [take] } = await (await fetch("/v1/takes")).json();
          return [
            take.room, await status(`/v1/takes/${take.id}/mix`), await status("/v1/rooms/den"), await status("/v1/rooms/attic"),
            await status("/v1/takes?room=attic"), await status(`/v1/takes/${take.id}`, { method: "DELETE" }),
            await status("/v1/participants"), (await (await fetch("/v1/rooms")).json()).items.map(({ name }) => name),
          ];
          """)
        #expect(answers == ["den", 200, 200, 403, 403, 403, 403, ["den"]])
        try await page.leave()
        try await page.open("\(stage.service.address)/rooms/attic?name=Ada")
        try await page.untilShown("#enter")
        try await page.run("document.getElementById('enter').click();")
        try await page.untilShown("#problem")
        #expect(try await page.text("#problem-text").contains("another room"))
        // A browser without a token is asked for one.
        let stranger = try await stage.openBrowser()
        try await stranger.open("\(stage.service.address)/")
        try await stranger.untilShown("form input[type=password]")
        try await stranger.submit("form", ["input[type=password]": "a-key-of-more-than-sixteen"])
        try await stranger.untilShown(".room-row")
        // The doctor is for operators.
        try await page.open("\(stage.service.address)/doctor")
        try await page.untilShown("form input[type=password]")
        #expect(try await page.text("main").contains("needs an API key"))
        try await stranger.untilShown("#operator a")
        try await stranger.run("document.querySelector('#operator a').click();")
        for _ in 1...2 {
          try await stranger.untilTrue("document.getElementById('findings')?.getAttribute('aria-busy') === 'false'")
          #expect(try await stranger.text(".finding[data-check=port]").contains("A service answers on port"))
          #expect(try await stranger.text(".finding[data-check=page] .remedy").contains("docs/tonight.md"))
          try await stranger.run("document.getElementById('check-again').click();")
        }
      }
    }
  }
}
