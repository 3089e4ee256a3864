import Foundation
import Signaling
import TestSupport
import Testing

extension Players {
  /// Backing tracks in the studio's room.
  @Suite(.serialized) struct StudioBackingTests {
    /// Seconds between the clicks of the backing track.
    private static let apart = 0.5
    /// How far apart two pages of one busy machine may hear it, in seconds.
    private static let together = 0.025

    /// A microphone that sends silence, so that whatever is in its track came from elsewhere.
    private func enterSilently(_ page: Page, _ stage: Stage, as name: String) async throws {
      try await page.openStudio(of: stage.service, at: "/rooms/backing?name=\(name)")
      try await page.untilShown("#enter")
      try await page.run("document.getElementById('backup').checked = false;")
      try await page.run("document.getElementById('enter').click();")
      try await page.until("state.phase === 'joined'")
      try await page.run("jamjar.studio.isMuted = true;")
      try await page.untilTrue("jamjar.studio.microphone.isMuted")
    }

    /// When a click was heard, in seconds since 1970, by the loudspeaker's clock of the page.
    private func click(on page: Page) async throws -> Double {
      let heard = try await page.run(
        """
        const context = jamjarBacking.output.context;
        if (!window.ear) {
          window.ear = new AnalyserNode(context, { fftSize: 32768 });
          jamjarBacking.output.connect(window.ear);
        }
        const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
        const found = [];
        for (let look = 0; look < 200 && found.length < 9; look += 1) {
          await pause(90);
          const samples = new Float32Array(32768);
          window.ear.getFloatTimeDomainData(samples);
          const now = context.currentTime, loud = samples.findIndex((sample) => Math.abs(sample) > 0.1);
          if (loud < 0) continue;
          const at = now - (samples.length - loud) / context.sampleRate;
          found.push((performance.timeOrigin + jamjarBacking.heardAt(at)) / 1000 % arguments_[0]);
        }
        // Around the first, because the remainder may jump.
        const near = found.map((one) => (one - found[0] + 1.5 * arguments_[0]) % arguments_[0] - 0.5 * arguments_[0]);
        return found.length < 9 ? -1 : found[0] + near.sort((a, b) => a - b)[4];
        """, .number(StudioBackingTests.apart))
      return try #require(heard.double)
    }

    /// Seconds between two places in the time from click to click; infinite without a click.
    private func distance(of first: Double, to second: Double) -> Double {
      let apart = StudioBackingTests.apart
      guard first >= 0, second >= 0 else { return .infinity }
      let turned: Double = (first - second + 1.5 * apart).truncatingRemainder(dividingBy: apart)
      return abs(turned - 0.5 * apart)
    }

    @Test func twoPagesHearItTogetherAndNoFileHasIt() async throws {
      try await Stage.run("--recording", "manual") { stage in
        let (ada, bob) = try await stage.openTwoBrowsers()
        try await enterSilently(ada, stage, as: "Ada")
        try await enterSilently(bob, stage, as: "Bob")
        // A file of clicks, by the way that a musician goes.
        try await ada.run(
          """
          const { waveFile } = await import("/studio/playing/backing-upload.js");
          const clicks = new Float32Array(48000 * 40);
          for (let at = 0; at < clicks.length; at += 48000 * arguments_[0]) clicks.fill(0.8, at, at + 48);
          const files = new DataTransfer();
          files.items.add(new File([waveFile([clicks])], "clicks.wav"));
          const field = document.getElementById("backing-file");
          field.files = files.files;
          field.dispatchEvent(new Event("change"));
          """, .number(StudioBackingTests.apart))
        for page in [ada, bob] {
          try await page.untilTrue("document.querySelector('#backing-list option')?.textContent.startsWith('clicks')")
        }
        try await ada.run("document.getElementById('take-start').click();")
        for page in [ada, bob] { try await page.until("state.take") }
        try await ada.run("document.getElementById('backing-play').click();")
        for page in [ada, bob] { try await page.untilTrue("jamjarBacking.position > 1") }
        let words = try await bob.text("#backing-words")
        #expect(words.contains("clicks") && words.contains("no track"))

        // A loudspeaker that stood still, because the machine had no time for it, is late until the page's next look.
        var distances: [Double] = []
        for _ in 0..<5 where !distances.contains(where: { $0 < StudioBackingTests.together }) {
          distances.append(distance(of: try await click(on: ada), to: try await click(on: bob)))
        }
        #expect(distances.contains { $0 < StudioBackingTests.together }, "\(distances) s apart")

        // Everybody goes to the place that one of them chooses.
        try await bob.run(
          """
          const place = document.getElementById("backing-place");
          place.value = 20;
          place.dispatchEvent(new Event("change"));
          """)
        for page in [ada, bob] { try await page.untilTrue("jamjarBacking.position > 20") }
        let safe = try await ada.run("return jamjar.state.safe;").double ?? 0
        try await ada.untilJournaled(safe + 2)
        try await bob.run("document.getElementById('backing-stop').click();")
        for page in [ada, bob] { try await page.untilTrue("jamjarBacking.position === null") }
        try await ada.run("document.getElementById('take-stop').click();")

        let take = try await stage.service.finishedTake(in: "backing")
        #expect(take.tracks.count == 2)
        for sound in take.tracks.map(\.sound) + [take.mix] {
          let peak = sound.channels.joined().reduce(Float(0)) { max($0, abs($1)) }
          // −120 dB.
          #expect(peak < 1e-6, "\(peak)")
        }
        let manifest = try await stage.service.get("/v1/takes/\(take.id)/manifest").object
        let listed = manifest?["backings"]?.array?.compactMap(\.object)
        let backings = try #require(listed)
        #expect(backings.count == 2 && backings.last?["from"]?.integer == 960_000, "\(backings)")

        // An export that asks for it has it where it was heard.
        let mix = try await export(take.id, of: stage.service)
        let start = try #require(backings[0]["start"]?.integer)
        let loud = mix.left.indices.first { abs(mix.left[$0]) > 0.1 }
        #expect(loud.map { abs($0 - Int(start)) <= 1 } == true, "\(String(describing: loud)) \(start)")
        for page in [ada, bob] { try await page.expectNoComplaints() }
      }
    }

    /// The mix with the backing track.
    private func export(_ take: String, of service: Service) async throws -> Sound {
      let wish: JSONValue = ["kind": "mix", "format": "wav24", "backing": true]
      let answer = try await HTTP.send("POST", "\(service.address)/v1/takes/\(take)/exports", json: wish)
      let id = try #require(try answer.json.object?["id"]?.string)
      try await eventually("the export is done") {
        try await service.get("/v1/exports/\(id)").object?["state"] == "done"
      }
      return try await service.sound("/v1/exports/\(id)/file", folder: take, name: "with-backing.wav")
    }

    @Test func whatIsNoSoundIsRefusedOnThePage() async throws {
      try await Stage.run("--recording", "manual") { stage in
        let ada = try await stage.openBrowser()
        try await enterSilently(ada, stage, as: "Ada")
        try await ada.run(
          """
          const files = new DataTransfer();
          files.items.add(new File(["no sound at all"], "notes.mp3"));
          const field = document.getElementById("backing-file");
          field.files = files.files;
          field.dispatchEvent(new Event("change"));
          """)
        try await ada.untilTrue("document.getElementById('problem-text').innerText.includes('FLAC')")
        #expect(try await ada.run("return document.getElementById('backing-add').disabled;") == false)
      }
    }

    @Test func thePurePartsKnowTheirPlaceAndNeverJumpForAMillisecond() async throws {
      try await Stage.run { stage in
        let page = try await stage.openStudio(at: "/takes")
        let result = try await page.run(
          """
          const { OutputClock, placeAt, readPlay, speed } = await import("/studio/playing/backing.js");
          const { titleOf } = await import("/studio/playing/backing-upload.js");
          const clock = new OutputClock();
          const before = clock.at(0);
          for (let at = 0; at < 3000; at += 100) clock.sample(at, at / 1000 + 2 + (at % 300 ? 0 : 0.5));
          const play = readPlay({ backing: "b", title: "t", duration: 60, from: 12, at: 5000 });
          return {
            before, now: Math.round(1000 * clock.at(10_000)), place: placeAt(play, 7500),
            none: [null, {}, { ...play, from: 60 }, { ...play, at: "x" }, { ...play, from: -1 }].map(readPlay),
            speeds: [0, 0.001, 0.004, -0.004, 0.012, -0.012, 0.02, -3].map((error) => speed(error)?.toFixed(4) ?? null),
            titles: ["Autumn Leaves.wav", ".mp3", "a\\u0007b.flac"].map(titleOf),
          };
          """)
        let expected: JSONValue = [
          "before": .null, "none": [.null, .null, .null, .null, .null], "now": 12_000, "place": .number(14.5),
          "speeds": ["1.0000", "1.0000", "1.0004", "0.9996", "1.0005", "0.9995", .null, .null],
          "titles": ["Autumn Leaves", "Backing track", "a b"],
        ]
        #expect(result == expected, "\(result.text)")
      }
    }
  }
}
