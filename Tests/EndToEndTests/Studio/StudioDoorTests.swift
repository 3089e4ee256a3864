import Foundation
import Signaling
import Testing

extension EndToEnd {
  /// From a link into a room: the lobby, the green room, and what is said to whoever cannot come in.
  @Suite(.serialized) struct StudioDoorTests {
    @Test func theLobbyShowsWhoIsInWhoIsRecordedAndWhatWasRecorded() async throws {
      try await Stage.run { stage in
        let lobby = try await stage.openStudio()
        #expect(try await lobby.text("main").contains("Nobody has played here yet"))
        let player = try await stage.openStudio()
        try await player.joinWithTone("cellar", as: "Ada", frequency: 440)
        try await player.untilJournaled(1)
        // Told by the event stream; nobody loads the page anew.
        try await lobby.untilTrue("document.querySelector('.room-row')?.innerText.includes('Recording')")
        let row = try await lobby.text(".room-row")
        #expect(row.contains("cellar") && row.contains("Ada") && row.contains("2 seats free"), "\(row)")
        try await player.leave()
        try await lobby.untilTrue("document.querySelector('.room-row')?.innerText.includes('Empty')")
        try await lobby.untilTrue("document.querySelector('.takes a')?.href.includes('/takes/')")
        // From the lobby by the keyboard into a room of one's own.
        try await lobby.run("document.getElementById('room').focus();")
        try await lobby.press("attic\u{E007}")
        try await lobby.untilTrue("location.pathname === '/rooms/attic'")
        try await lobby.untilShown("#enter")
        #expect(try await lobby.text("#who") == "A new room.")
        #expect(try await lobby.complaints() == [])
      }
    }

    @Test func whoFillsTheDoorInPlaysAndIsRememberedTheNextTime() async throws {
      try await Stage.run { stage in
        let page = try await stage.openStudio(at: "/rooms/den")
        try await page.untilShown("#name:focus")
        try await page.press("Ada\u{E004}piano\u{E007}")
        try await page.until("state.phase === 'joined' && state.take && state.peers.microphone === 'connected'")
        let state = try await page.run("return jamjar.state;")
        let member = state.object?["members"]?.array?.first?.object
        #expect(member?["part"] == "piano" && member?["consent"] == true)
        #expect(try await page.text(".member strong") == "Ada (you)")
        // The browser does nothing to the sound, and sends short packets in stereo.
        let settings = try await page.run("return jamjar.studio.microphone.settings;").object
        for name in ["echoCancellation", "noiseSuppression", "autoGainControl"] { #expect(settings?[name] == false) }
        try await page.run(
          "await new Promise((resolve) => jamjar.events.addEventListener('quality', () => resolve(), { once: true }));")
        try await page.run(
          "await new Promise((resolve) => jamjar.events.addEventListener('quality', () => resolve(), { once: true }));")
        let rate = try await page.run("return jamjar.studio.sound.quality.get('microphone').rate;").double
        #expect((rate ?? 0) > 75, "packets of 10 ms are a hundred a second; a busy machine sends some later")
        try await page.leave()
        try await page.untilShown("#enter")
        #expect(try await page.run("return document.getElementById('name').value;") == "Ada")
        #expect(try await page.run("return document.getElementById('part').value;") == "piano")
      }
    }

    /// What a musician should be told, and the sound that brings it about.
    @Test(arguments: [("silence", 0.0, 0.0), ("side", 0.3, 0.0), ("mono", 0.3, 0.3), ("clipping", 1.4, 1.4)])
    func theGreenRoomSaysWhatIsWrongWithTheSound(id: String, left: Double, right: Double) async throws {
      try await Stage.run { stage in
        let path = stage.service.path("\(id).wav")
        let tone = { (level: Double) in
          (0..<(10 * Microphone.rate)).map { index in
            Float(max(-1, min(1, level * sin(2 * .pi * 220 * Double(index) / Double(Microphone.rate)))))
          }
        }
        _ = try WaveFile.write(Sound(rate: Microphone.rate, channels: [tone(left), tone(right)]), to: path)
        let page = try await stage.openStudio(microphone: path, at: "/rooms/den?name=Ada")
        try await page.untilShown("#warnings [data-id=\(id)]")
        let kinds = try await page.run(
          "return [...document.querySelectorAll('#warnings li')].map(({ dataset }) => dataset.id);")
        #expect(kinds.array?.contains("headphones") == true)
        for other in ["silence", "side", "clipping"] where other != id {
          #expect(kinds.array?.contains(.string(other)) == false, "\(kinds.text)")
        }
        #expect(try await page.complaints() == [])
      }
    }

    @Test func whatABrowserStillDoesToTheSoundIsSaid() async throws {
      try await Stage.run { stage in
        let page = try await stage.openStudio()
        let said = try await page.run(
          """
          const { warnings, Listening } = await import("/studio/room/warnings.js");
          const listening = new Listening(0);
          for (let index = 0; index < 100; index += 1) {
            listening.take({ peak: [0.1, 0.1], rms: [0.1, 0.1], isMono: false, clipped: 0 }, index / 20);
          }
          const about = (settings, more) => warnings({ settings, mode: "stereo", listening, now: 5, ...more }).map(({ id }) => id);
          return [
            about({ echoCancellation: true, autoGainControl: true, sampleRate: 48000 }),
            about({ sampleRate: 16000 }), about({ sampleRate: 48000, channelCount: 1 }),
            about({ sampleRate: 44100 }, { outputs: ["AirPods Pro"] }), about({ sampleRate: 48000, channelCount: 2 }),
          ];
          """)
        #expect(
          said == [
            ["processing", "headphones"], ["rate", "headphones"], ["mono", "headphones"], ["bluetooth", "headphones"],
            ["headphones"],
          ])
      }
    }

    /// Each a sentence that says what to do, on the page.
    @Test func whoHasNoMicrophoneOrMayNotUseItIsToldWhatToDo() async throws {
      try await Stage.run { stage in
        for (sound, words) in [
          (BrowserSettings.Sound.none, "No microphone was found. Plug one in"),
          (.denied, "The browser may not use your microphone. Allow it"),
        ] {
          let page = try await stage.openBrowser(BrowserSettings(sound: sound))
          try await page.openStudio(of: stage.service, at: "/rooms/den?name=Ada")
          try await page.untilTrue("document.getElementById('warnings').innerText.includes('microphone')")
          #expect(try await page.text("#warnings").contains(words))
          // Trying anyway says so again; listening works.
          try await page.run("document.getElementById('enter').click();")
          try await page.untilShown("#problem")
          #expect(try await page.text("#problem-text").contains(words))
          try await page.run(
            "document.getElementById('listener').click(); document.getElementById('enter').click();")
          try await page.until("state.phase === 'joined'")
          try await page.leave()
        }
      }
    }

    @Test func anInsecurePageAndAnOldBrowserAreTold() async throws {
      try await Stage.run("--insecure", "--host-names=studio.test") { stage in
        let port = stage.service.address.split(separator: ":").last ?? ""
        let page = try await stage.openBrowser(
          BrowserSettings(arguments: ["--host-resolver-rules=MAP studio.test 127.0.0.1"]))
        try await page.open("http://studio.test:\(port)/rooms/den?name=Ada")
        try await page.untilTrue("document.getElementById('warnings')?.innerText.includes('https://')")
        #expect(try await page.run("return document.getElementById('listener').checked;") == true)
        let old = try await stage.openBrowser()
        try await old.prepare("delete window.RTCPeerConnection;")
        try await old.openStudio(of: stage.service, at: "/rooms/den?name=Ada")
        try await old.untilTrue("document.getElementById('warnings')?.innerText.includes('Use a recent')")
      }
    }

    private static let secret = "a secret of at least thirty-two bytes for this test"
    private static let keys = ["JAMJAR_JOIN_SECRET": secret, "JAMJAR_API_KEYS": "a-key-of-more-than-sixteen"]

    /// A join token for the room "den", made by the page as any JWT library does.
    private func token(_ role: String, by page: some WebPage) async throws -> String {
      let token = try await page.run(
        """
        const bytes = new TextEncoder(), encode = (data) => btoa(String.fromCharCode(...data)).replaceAll("+", "-")
          .replaceAll("/", "_").replaceAll("=", "");
        const piece = (value) => encode(bytes.encode(JSON.stringify(value)));
        const body = piece({ alg: "HS256", typ: "JWT" }) + "." + piece({ room: "den", role: arguments_[1], exp: 4e9 });
        const key = await crypto.subtle.importKey("raw", bytes.encode(arguments_[0]), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
        return body + "." + encode(new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes.encode(body))));
        """, .string(StudioDoorTests.secret), .string(role))
      return try #require(token.string)
    }

    @Test func aListenersTokenIsOfferedNothingThatChangesTheRoom() async throws {
      try await Stage.run([], environment: StudioDoorTests.keys) { stage in
        // The guest is there first: what the musicians share is seen once they make it.
        let address = stage.service.address
        let (guest, ada) = (try await stage.openBrowser(), try await stage.openBrowser())
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

    @Test func aModeratorRemovesAMemberWhosePageSaysSoAndStaysOut() async throws {
      try await Stage.run([], environment: StudioDoorTests.keys) { stage in
        let address = stage.service.address
        let (mia, lea) = (try await stage.openBrowser(), try await stage.openBrowser())
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
        try await lea.untilShown("#problem")
        #expect(try await lea.text("#problem-text").contains("removed from this room"))
        try await lea.until("state.phase === 'idle'")
        try await mia.untilTrue("jamjar.studio.members.size === 1")
      }
    }

    @Test func aTokenOpensItsRoomAndNothingElse() async throws {
      try await Stage.run([], environment: StudioDoorTests.keys) { stage in
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
        try await page.untilTrue("document.querySelector('#takes a[href^=\"/takes/\"]')")
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
        // Whoever has nothing is asked.
        let stranger = try await stage.openBrowser()
        try await stranger.open("\(stage.service.address)/")
        try await stranger.untilShown("form input[type=password]")
        try await stranger.submit("form", ["input[type=password]": "a-key-of-more-than-sixteen"])
        try await stranger.untilShown(".room-row")
      }
    }
  }
}
