import Foundation
import Signaling
import Testing

extension Doors {
  /// From a link into a room: the lobby, the green room, and what is said to whoever cannot come in.
  @Suite(.serialized) struct StudioDoorTests {
    @Test func theLobbyShowsWhoIsInWhoIsRecordedAndWhatWasRecorded() async throws {
      try await Stage.run { stage in
        let lobby = try await stage.openStudio()
        try await lobby.untilTrue("document.querySelector('main').innerText.includes('Nobody has played here yet')")
        #expect(try await lobby.run("return document.querySelectorAll('.steps li > svg').length;") == 3)
        let player = try await stage.openStudio()
        try await player.joinWithTone("cellar", as: "Ada", frequency: 440)
        try await player.untilJournaled(1)
        // Told by the event stream; nobody loads the page anew.
        try await lobby.untilTrue("document.querySelector('.room-row')?.innerText.includes('Recording')")
        let row = try await lobby.text(".room-row")
        #expect(row.contains("cellar") && row.contains("Ada") && row.contains("2 seats free"), "\(row)")
        // A member who plays already is not asked to join; everybody else comes in by one link, which keeps the focus.
        try await player.run("await jamjar.go('/');")
        try await player.untilTrue("document.querySelector('.join-room')?.innerText === 'Back to the room'")
        try await lobby.run("document.querySelector('.room-card .join-room').focus();")
        let second = try await ToneSender("Bob", frequency: 660, in: "cellar", of: stage.service)
        try await lobby.untilTrue("document.querySelectorAll('.seat:not(.free)').length === 2")
        #expect(try await lobby.run("return document.activeElement.ariaLabel;") == "Join: cellar")
        #expect(try await lobby.run("return document.activeElement.pathname;") == "/rooms/cellar")
        try await second.end()
        try await player.leave()
        try await lobby.untilTrue("document.querySelector('.room-row')?.innerText.includes('Empty')")
        try await lobby.untilTrue("document.querySelector('.takes a')?.href.includes('/takes/')")
        // From the lobby by the keyboard into a room of one's own.
        try await lobby.run("document.getElementById('room').focus();")
        try await lobby.press("attic\u{E007}")
        try await lobby.untilTrue("location.pathname === '/rooms/attic'")
        try await lobby.untilShown("#enter")
        #expect(try await lobby.text("#who") == "A new room.")
        try await lobby.expectNoComplaints()
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
        // Packets of 10 ms are a hundred a second, those of 20 ms fifty. A busy machine sends some later.
        try await page.untilTrue("jamjar.studio.sound.quality.get('microphone')?.rate > 75")
        try await page.leave()
        try await page.untilShown("#enter")
        #expect(try await page.run("return document.getElementById('name').value;") == "Ada")
        #expect(try await page.run("return document.getElementById('part').value;") == "piano")
      }
    }

    /// What a musician should be told, and the sound that brings it about.
    private static let wrongSounds = [
      ("silence", [0.0, 0.0]), ("side", [0.3, 0.0]), ("mono", [0.3, 0.3]), ("clipping", [1.4, 1.4]),
    ]

    @Test func theGreenRoomSaysWhatIsWrongWithTheSound() async throws {
      try await Stage.run { stage in
        // The browser reads the file anew whenever a page opens the microphone.
        let path = stage.service.path("microphone.wav")
        let page = try await stage.openBrowser(BrowserSettings(sound: .file(path)))
        for (id, levels) in StudioDoorTests.wrongSounds {
          try await page.open("about:blank")
          try WaveFile.write(Sound(toneOf: 220, levels: levels, rate: Microphone.rate, seconds: 10), to: path)
          try await page.openStudio(of: stage.service, at: "/rooms/den?name=Ada")
          try await page.untilShown("#warnings [data-id=\(id)]")
          let kinds = try await page.run(
            "return [...document.querySelectorAll('#warnings li')].map(({ dataset }) => dataset.id);")
          #expect(kinds.array?.contains("headphones") == true, "\(id)")
          for other in ["silence", "side", "clipping"] where other != id {
            #expect(kinds.array?.contains(.string(other)) == false, "\(id): \(kinds.text)")
          }
          #expect(try await page.complaints() == [], "\(id)")
        }
      }
    }

    @Test func theLoudestFiveSecondsAreJudgedAndPlayedBack() async throws {
      try await Stage.run { stage in
        let path = stage.service.path("loudest.wav")
        let tone = (0..<(20 * Microphone.rate)).map { index in
          Float(0.25 * sin(2 * .pi * 220 * Double(index) / Double(Microphone.rate)))
        }
        _ = try WaveFile.write(Sound(rate: Microphone.rate, channels: [tone, tone]), to: path)
        let page = try await stage.openStudio(microphone: path, at: "/rooms/den?name=Ada")
        try await page.untilShown("#warnings li")
        try await page.run("document.querySelector('.sound-check-button').click();")
        try await page.untilTrue(
          "document.querySelector('.sound-verdict').innerText === 'Your loudest: -12 dB. Just right.'")
        for words in ["This is how you sound", "Play your loudest 5"] {
          try await page.untilTrue("document.querySelector('.sound-check-button').innerText.startsWith('\(words)')")
        }
        try await page.expectNoComplaints()
      }
    }

    @Test func aTestToneComesOutOfTheChosenOutputAlone() async throws {
      try await Stage.run { stage in
        let page = try await stage.openBrowser()
        try await page.prepare(
          """
          window.played = [];
          const play = HTMLMediaElement.prototype.play;
          HTMLMediaElement.prototype.play = async function () {
            await play.call(this);
            window.played.push([this.sinkId, this.src]);
          };
          """)
        try await page.openStudio(of: stage.service, at: "/rooms/den?name=Ada")
        try await page.untilShown("#warnings li")
        try await page.untilTrue("document.querySelectorAll('#output option').length > 1")
        let device = try await page.run(
          """
          const field = document.getElementById("output");
          field.value = field.options[field.options.length - 1].value;
          field.dispatchEvent(new Event("change"));
          document.querySelector(".test-tone").focus();
          return field.value;
          """)
        // By the keyboard.
        try await page.press("\u{E007}")
        try await page.untilTrue("window.played.length === 1")
        #expect(try await page.run("return window.played[0][0];") == device)
        let peak = try await page.run(
          """
          const { toneFile } = await import("/studio/playing/output.js");
          const sound = await new OfflineAudioContext(1, 48_000, 48_000).decodeAudioData(toneFile());
          return [sound.duration, 20 * Math.log10(Math.max(...sound.getChannelData(0)))];
          """)
        let (seconds, level) = (peak.array?.first?.double ?? 0, peak.array?.last?.double ?? 0)
        #expect(abs(seconds - 1) < 0.001 && abs(level + 20) < 0.1, "\(peak)")
        // The room has the same choice.
        try await page.run("document.getElementById('enter').click();")
        try await page.until("state.phase === 'joined'")
        #expect(try await page.run("return JSON.parse(localStorage.getItem('jamjar-output'));") == device)
        try await page.expectNoComplaints()
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
          let page = try await stage.openBrowser(BrowserSettings(sound: sound, program: .browser))
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

    @Test func whoIsRemovedSeesWhyAndFindsTheWayBack() async throws {
      try await Stage.run { stage in
        let page = try await stage.openStudio()
        try await page.join("den", as: "Ada", ["listener": true, "consent": false])
        let member = try #require(try await page.run("return jamjar.state.participant;").string)
        let removed = try await HTTP.send("DELETE", "\(stage.service.address)/v1/rooms/den/members/\(member)")
        #expect(removed.status == 204)
        try await page.untilShown("[data-code=removed]")
        try await page.run("document.querySelector('[data-code=removed] button').click();")
        try await page.untilShown("#enter")
        // A room that is closed is not entered again by itself either.
        try await page.join("den", as: "Ada", ["listener": true, "consent": false])
        _ = try await HTTP.send("DELETE", "\(stage.service.address)/v1/rooms/den")
        try await page.untilShown("[data-code=room-closed]")
        try await page.expectNoComplaints()
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
        try await old.untilTrue(
          "document.querySelector('[data-code=unsupported-browser]')?.innerText.includes('Use a recent')")
      }
    }
  }
}
