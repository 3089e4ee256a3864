import Signaling
import Testing

extension Dialects {
  /// The studio in Firefox, with a service that was started as the README says.
  @Suite(.serialized) struct FirefoxTests {
    /// Firefox's fake microphone, in Hz.
    private static let tone = 1_000.0

    private func enter(_ page: Firefox, _ room: String, of service: Service) async throws {
      try await page.openStudio(of: service, at: "/rooms/\(room)?name=Ada")
      try await page.untilShown("#enter")
      try await page.run(
        "document.getElementById('backup').checked = false; document.getElementById('enter').click();")
    }

    @Test func itPlaysIsHeardAndIsRecorded() async throws {
      // The next test needs them, and playing them takes as long as this one.
      TonesFolder.prepare()
      try await Stage.run { stage in
        let firefox = try await stage.openFirefox()
        try await enter(firefox, "fox", of: stage.service)
        let chromium = try await stage.openStudio()
        try await chromium.joinWithTone("fox", as: "Bob", frequency: 440)
        for page: any WebPage in [firefox, chromium] {
          try await page.until(
            "Object.values(state.peers).length === 2 && Object.values(state.peers).every((peer) => peer === 'connected')"
          )
        }
        // On a machine without loudspeakers Firefox plays nothing, so that it knows no levels; packets come all the same.
        try await firefox.untilTrue(
          "[...jamjar.studio.sound.quality.values()].filter(({ packets }) => packets > 50).length === 2")
        try await chromium.untilTrue("[...jamjar.studio.members.keys()].every((id) => jamjar.level(id) > 0.01)")
        try await firefox.untilShown(".light[data-state=safe]")
        #expect(try await firefox.text(".trouble") == "")
        let position = try await chromium.run("return jamjar.state.safe;").double ?? 0
        try await chromium.untilJournaled(position + 3)
        try await firefox.leave()
        try await chromium.leave()
        let take = try await stage.service.finishedTake(in: "fox")
        let ada = try #require(take.track(of: "Ada"))
        #expect(ada.sound.share(of: FirefoxTests.tone) > 0.9)
        #expect(take.track(of: "Bob") != nil)
        // Both browsers answer checks of their paths, so that the bounds rest on no claim.
        let frames = try await CommandRun(
          ["takes", "inspect", take.id, "--data", stage.service.recordings, "--frames", "--json"])
        let checks = try frames.text.split(separator: "\n").filter { $0.contains("checkTrip") }
          .compactMap { try JSONValue(parsing: Array($0.utf8)).object?["track"]?.integer }
        #expect(Set(checks) == [1, 2])
      }
    }

    /// A machine without loudspeakers has no sound to measure: what the browser's player is told decides here, and what Web
    /// Audio does with it is the same as in Chromium (StudioStripsTests).
    @Test func faderPanAndMuteOfAMusicianAreForTheseEarsAlone() async throws {
      try await Stage.run { stage in
        let firefox = try await stage.openFirefox()
        try await firefox.openStudio(of: stage.service, at: "/rooms/ears?name=Ada")
        try await firefox.run(
          """
          const connect = AudioNode.prototype.connect, Player = window.Audio;
          window.players = [];
          window.Audio = function () { return players[players.push(new Player()) - 1]; };
          AudioNode.prototype.connect = function (target, ...rest) {
            if (target instanceof AudioDestinationNode && this instanceof ChannelMergerNode) window.ways = (window.ways ?? 0) + 1;
            return connect.call(this, target, ...rest);
          };
          window.slide = (name, value) => {
            const slider = document.querySelector(`.member .slider input.${name}`);
            slider.value = value;
            slider.dispatchEvent(new Event("input"));
          };
          """)
        try await firefox.untilShown("#enter")
        try await firefox.run(
          "document.getElementById('backup').checked = false; document.getElementById('enter').click();")
        let chromium = try await stage.openStudio()
        try await chromium.joinWithTone("ears", as: "Bob", frequency: 440)
        try await firefox.untilShown(".member .fader")
        try await firefox.untilTrue(
          "players.some((player) => player.srcObject && player.volume === 1 && !player.muted)")
        // Down by 14 dB in the player itself; only who is lifted or moved pays for Web Audio.
        try await firefox.run("slide('fader', -14);")
        try await firefox.untilTrue("players.some((player) => Math.abs(player.volume - 0.1995) < 0.001)")
        #expect(try await firefox.run("return window.ways ?? 0;") == 0)
        try await firefox.run("slide('centred', 0.5);")
        try await firefox.untilTrue("window.ways === 1 && players.some((player) => player.muted)")
        try await firefox.run("slide('centred', 0);")
        try await firefox.untilTrue("players.every((player) => !player.muted)")
        try await firefox.run("document.querySelector('.member [aria-label=\"Mute Bob, for you alone\"]').click();")
        try await firefox.untilTrue("players.some((player) => player.muted)")
        // A double click is 0 dB.
        try await firefox.run(
          "document.querySelector('.member .fader').dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));")
        try await firefox.untilTrue(
          """
          document.querySelector(".member .fader").ariaValueText === "0 dB" && players.some(({ volume }) => volume === 1)
          """)
        try await firefox.run("document.querySelector('.member [aria-label=\"Unmute Bob, for you alone\"]').click();")
        try await firefox.untilTrue("players.every((player) => !player.muted)")
        #expect(
          try await chromium.run("return [...jamjar.studio.members.values()].some(({ muted }) => muted);") == false)
      }
    }

    /// Firefox waited for itself for good when a page asked how late its sound is. A machine without loudspeakers is said.
    @Test func theDeckPlaysOrSaysThatThereIsNothingToPlayOn() async throws {
      let copy = try await TonesFolder.copy()
      try await Stage.run([], in: copy.folder) { stage in
        let firefox = try await stage.openFirefox()
        try await firefox.open("\(stage.service.address)/takes/\(copy.first)")
        try await firefox.untilTrue("window.jamjarDeck && document.querySelector('.strip') !== null")
        let end = try await firefox.run(
          """
          const said = new Promise((resolve) => {
            jamjarDeck.addEventListener("problem", ({ detail }) => resolve(detail.code));
          });
          const heard = new Promise((resolve) => {
            jamjarDeck.addEventListener("report", () => { if (jamjarDeck.position > 96_000) resolve("heard"); });
          });
          const refused = jamjarDeck.play().then(() => new Promise(() => {}), (error) => error.code);
          return Promise.race([said, heard, refused]);
          """)
        #expect(["heard", "no-output"].contains(end.string), "\(end.text)")
        #expect(try await firefox.run("return 6 * 7;").double == 42, "the page still answers")
      }
    }

    @Test func whereTheServiceOffersLoopbackAloneThePageSaysWhyAndWhatToDo() async throws {
      try await Stage.run("--ice-addresses", "127.0.0.1") { stage in
        let page = try await stage.openFirefox()
        try await enter(page, "alone", of: stage.service)
        try await page.untilShown(".trouble[data-id=loopback]")
        let text = try await page.text(".trouble")
        #expect(text.contains("127.0.0.1 alone") && text.contains("--ice-addresses"), "\(text)")
      }
    }
  }
}
