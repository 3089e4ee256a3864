import Foundation
import Signaling
import Testing

extension Pages {
  /// The tuner by the meter, with a tone as the microphone.
  @Suite(.serialized) struct StudioTunerTests {
    /// 12 cents above A3, as a string sounds: with partials.
    private static let frequency = 220 * pow(2, 12.0 / 1_200)

    /// Counts looks at the sound, and keeps the tracks that were taken for them.
    private static let witness = """
      window.looks = 0;
      window.tracks = [];
      const look = AnalyserNode.prototype.getFloatTimeDomainData, clone = MediaStreamTrack.prototype.clone;
      AnalyserNode.prototype.getFloatTimeDomainData = function (samples) {
        if (samples.length >= 4096) window.looks += 1;
        return look.call(this, samples);
      };
      MediaStreamTrack.prototype.clone = function () {
        const track = clone.call(this);
        window.tracks.push(track);
        return track;
      };
      """

    private func open(_ stage: Stage, at path: String) async throws -> Page {
      let file = stage.service.path("string.wav")
      let string = (0..<(60 * Microphone.rate)).map { index in
        let phase = 2 * .pi * StudioTunerTests.frequency * Double(index) / Double(Microphone.rate)
        return Float(0.2 * (sin(phase) + sin(2 * phase) / 2 + sin(3 * phase) / 3))
      }
      try WaveFile.write(Sound(rate: Microphone.rate, channels: [string, string]), to: file)
      let page = try await stage.openBrowser(BrowserSettings(sound: .file(file)))
      try await page.prepare(StudioTunerTests.witness)
      try await page.openStudio(of: stage.service, at: path)
      return page
    }

    /// Chooses the pitch of A4 as a person does.
    private func tune(_ page: Page, to hertz: String) async throws {
      try await page.run(
        """
        const field = document.querySelector(".tuner input");
        field.value = arguments_[0];
        for (const type of ["input", "change"]) field.dispatchEvent(new Event(type));
        """, .string(hertz))
    }

    private func untilShown(_ note: String, _ words: String, on page: Page) async throws {
      try await page.untilTrue(
        """
        document.querySelector(".tuner:not([hidden]) .tuner-name")?.innerText.replace(/\\s/g, "") === "\(note)"
          && document.querySelector(".tuner-words").innerText === "\(words)"
        """)
    }

    @Test func everyNoteOfEveryInstrumentIsFoundAndNoiseIsNone() async throws {
      try await Stage.run { stage in
        let page = try await stage.openStudio()
        #expect(try await page.run(PageScript.text("tuner.js")) == [])
      }
    }

    @Test func theNoteThatIsPlayedIsShownAndNothingListensOtherwise() async throws {
      try await Stage.run { stage in
        let page = try await open(stage, at: "/rooms/tuner?name=Ada")
        try await page.untilShown("#enter")
        try await page.run("document.getElementById('enter').click();")
        try await page.untilJournaled(1)
        #expect(try await page.run("return [looks, tracks.length];") == [0, 0], "nothing listens")
        try await page.press("u")
        try await untilShown("A3", "12 cents high", on: page)
        // The pitch of the band, and what is none.
        try await tune(page, to: "443")
        try await untilShown("A3", "In tune", on: page)
        try await page.untilShown(".tuner[data-verdict=tuned]")
        try await tune(page, to: "415")
        try await untilShown("B♭3", "13 cents high", on: page)
        try await tune(page, to: "500")
        #expect(try await page.run("return document.querySelector('.tuner input').value;") == "415")
        // A muted musician tunes, and nobody hears it.
        try await page.press("m")
        try await page.untilTrue("jamjar.state.isMuted && jamjar.level(jamjar.state.participant) === 0")
        try await page.run("window.seen = looks;")
        try await page.untilTrue("looks > seen + 30")
        try await untilShown("B♭3", "13 cents high", on: page)
        #expect(try await page.text(".tuner").contains("only this page hears you"))
        let sent = try await page.run("return [jamjar.stream.getAudioTracks()[0].enabled, tracks[0].enabled];")
        #expect(sent == [false, true])
        #expect(try await page.text(".light") == "Muted: silence is recorded")
        // Off: not a look more, and the device's track is given back.
        try await page.press("u")
        let last = try await page.run("return looks;").double ?? 0
        let safe = try await page.run("return jamjar.state.safe;").double ?? 0
        try await page.untilJournaled(safe + 1)
        #expect(try await page.run("return looks;").double == last)
        #expect(try await page.run("return tracks.map(({ readyState }) => readyState);") == ["ended"])
        // This browser remembers the pitch.
        try await page.reload()
        try await page.until("state.phase === 'joined'")
        try await page.untilShown(".tuner-button")
        try await page.run("document.querySelector('.tuner-button').click();")
        try await untilShown("B♭3", "13 cents high", on: page)
        try await page.leave()
        #expect(try await page.run("return tracks.every(({ readyState }) => readyState === 'ended');") == true)
        try await page.expectNoComplaints()
      }
    }

    @Test func atTheDoorItStaysWhileAnotherInputIsChosen() async throws {
      try await Stage.run { stage in
        let page = try await open(stage, at: "/rooms/tuner?name=Ada")
        try await page.untilShown(".tuner-button")
        try await page.run("document.querySelector('.tuner-button').click();")
        try await untilShown("A3", "12 cents high", on: page)
        try await page.run(
          """
          const channels = document.getElementById("channels");
          channels.value = "right";
          channels.dispatchEvent(new Event("change"));
          """)
        try await page.untilTrue("tracks.length === 2 && tracks[0].readyState === 'ended'")
        try await untilShown("A3", "12 cents high", on: page)
        try await page.run("document.getElementById('enter').click();")
        try await page.until("state.phase === 'joined'")
        try await page.untilTrue("tracks.every(({ readyState }) => readyState === 'ended')")
        try await page.expectNoComplaints()
      }
    }
  }
}
