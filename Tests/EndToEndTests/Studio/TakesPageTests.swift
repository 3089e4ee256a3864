import Foundation
import Music
import Recording
import Signaling
import Testing

extension Programs {
  /// The page of a take: what people say of it, exports, its way from rolling to the trash and back.
  @Suite(.serialized) struct TakesPageTests {
    @Test func whatPeopleSayOfATakeSurvivesAReload() async throws {
      try await Stage.runWithTones { stage, page, copy in
        try await page.openTake(copy.first, of: stage.service)
        try await page.takes(
          """
          const saved = async (work) => {
            const before = document.getElementById("notice").textContent;
            document.getElementById("notice").textContent = "";
            work();
            await takes.until(() => document.getElementById("notice").textContent === "Saved.");
          };
          await saved(() => takes.write(document.querySelector(".title"), "The good one"));
          await saved(() => document.querySelectorAll(".stars input")[3].click());
          await saved(() => document.querySelector(".heart").click());
          await saved(() => takes.write(document.querySelector(".tag-new"), "keep"));
          await saved(() => takes.write(document.querySelector(".about-take textarea"), "Long solo.\\nDrums late."));
          jamjarPlayer.seek(2.5);
          takes.key("c");
          const field = await takes.shown(".cue-list input");
          takes.write(field, "Verse");
          await takes.until(() => document.querySelector(".flag")?.textContent === "Verse");
          // With the keys a tenth of a second later.
          document.querySelector(".flag").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true }));
          await takes.until(() => document.querySelector(".cue-list .time")?.textContent === "0:02.6");
          """)
        try await page.reload()
        let shown = try await page.takes(
          """
          await takes.shown(".flag");
          return [document.querySelector(".title").value, document.querySelectorAll(".stars input")[3].checked,
            document.querySelector(".heart").getAttribute("aria-pressed"), document.querySelector(".tag a").textContent,
            document.querySelector(".about-take textarea").value, document.querySelector(".flag").textContent];
          """)
        #expect(shown == ["The good one", true, "true", "keep", "Long solo.\nDrums late.", "Verse"])
        let take = try #require(try await stage.service.get("/v1/takes/\(copy.first)").object)
        #expect(take["rating"] == 4 && take["favourite"] == true)
        #expect(take["cues"]?.array?.first?.object?["position"]?.double == 2.6)
      }
    }

    @Test func thePageBeginsWithThePlayerAndTheCertificateIsABadge() async throws {
      try await Stage.runWithTones { stage, page, copy in
        try await page.openTake(copy.first, of: stage.service)
        let first = try await page.run("return document.querySelector('.take-page .card').className;")
        #expect(first == "card player")
        #expect(try await page.text(".certificate > summary").hasPrefix("Exact"))
        let isShown = "document.querySelector('.certificate-picture').checkVisibility()"
        #expect(try await page.run("return \(isShown);") == false)
        // With the keys alone; space is the player's elsewhere.
        try await page.run("document.querySelector('.certificate > summary').focus();")
        try await page.press(" ")
        try await page.untilTrue(isShown)
        #expect(try await page.run("return jamjarDeck.state;") == "stopped")
        try await page.press("\u{E007}")
        try await page.untilTrue("!\(isShown)")
      }
    }

    @Test func theBadgeSaysNoMoreThanIsKnown() async throws {
      try await Stage.run([]) { stage in
        let page = try await stage.openPage()
        try await page.open("\(stage.service.address)/healthz")
        let said = try await page.run(
          """
          const { badgeOf } = await import("/studio/takes/certificate.js");
          const track = (errorBound, gaps = 0) => ({ alignment: { errorBound }, gaps: Array(gaps).fill({}) });
          return [[track(0.42), track(15)], [track(15, 1), track(3, 2)], [track(0.02)], [track(2), track(null)],
            [track(null, 1)], [{ alignment: null, gaps: [] }]].map((tracks) => Object.values(badgeOf(tracks)));
          """)
        #expect(
          said == [
            ["exact", "Exact to 15 ms"], ["gaps", "Exact to 15 ms · 3 gaps"], ["exact", "Exact to 0.1 ms"],
            ["unknown", "1 of 2 tracks exact to 2 ms"], ["unknown", "Exactness unknown · 1 gap"],
            ["unknown", "Exactness unknown"],
          ])
      }
    }

    @Test func aStripBelowEachWaveformSaysWhereTheMusicSuffered() async throws {
      let copy = try await TonesFolder.copy()
      let root = copy.folder.path + "/Recordings"
      let paths = FileManager.default.subpaths(atPath: root)?.filter { $0.hasSuffix("/" + QualityFile.name) } ?? []
      var places: [String] = []
      for path in paths {
        let address = URL(fileURLWithPath: root + "/" + path)
        var file = try JSONDecoder().decode(QualityFile.self, from: try Data(contentsOf: address))
        guard file.take.description == copy.first else { continue }
        places.append(path)
        #expect(file.tracks.count == 3)
        #expect(file.tracks.allSatisfy { !$0.rows.isEmpty })
        // What the recorder wrote of a good connection, with trouble in the second track.
        let rows = [(0, 2, 0), (2, 5, 12), (5, 8, 9)].map { (start: Int64, end: Int64, missed: Int) in
          QualityRow(
            start: SamplePosition(start * 48_000), end: SamplePosition(end * 48_000),
            reading: QualityReading(roundTrip: 30, expected: 150, missed: missed))
        }
        for index in file.tracks.indices { file.tracks[index].rows = index == 1 ? rows : Array(rows.prefix(1)) }
        try Data(try file.encoded()).write(to: address)
      }
      #expect(places.count == 1)
      try await Stage.run([], in: copy.folder) { stage in
        let page = try await stage.openPage()
        try await page.openTake(copy.first, of: stage.service)
        let shown = try await page.takes(
          """
          await takes.until(() => document.querySelectorAll(".quality-strip:not([hidden])").length === 3);
          return [...document.querySelectorAll(".quality-strip")].map((strip) =>
            [strip.ariaLabel, [...strip.querySelectorAll("span")].map((span) => [span.dataset.level, span.title])]);
          """)
        // The order of the tracks is that in which the musicians came.
        let names = try await page.takes("return jamjarPlayer.a.tracks.map((track) => track.participant.name);")
        let title: JSONValue = "0:02 to 0:08: poor: packets lost on the way (round trip 30 ms, loss 8.0 %)"
        let expected: [JSONValue] = (names.array ?? []).enumerated().map { index, name in
          let words = index == 1 ? "poor: packets lost on the way, 0:02 to 0:08" : "good throughout"
          let label = "Connection of \(name.string ?? ""): \(words)"
          return [.string(label), index == 1 ? [["4", title]] : []]
        }
        #expect(expected.count == 3)
        #expect(shown.array == expected)
      }
    }

    @Test func anEditThatAnotherWasQuickerWithIsToldAndNotMade() async throws {
      try await Stage.runWithTones { stage, page, copy in
        try await page.openTake(copy.first, of: stage.service)
        let shown = try await page.takes(
          """
          const there = window.fetch;
          window.fetch = async (address, options) => {
            if (options?.method === "PATCH") {
              window.fetch = there;
              await there(address, { method: "PATCH", headers: { "content-type": "application/json" }, body: '{"title":"Theirs"}' });
            }
            return there(address, options);
          };
          takes.write(document.querySelector(".title"), "Mine");
          await takes.until(() => !document.getElementById("problem").hidden);
          await takes.until(() => document.querySelector(".title").value === "Theirs");
          return document.getElementById("problem-text").textContent;
          """)
        #expect(shown.string?.contains("Somebody else changed this take") == true, "\(shown)")
        #expect(try await stage.service.get("/v1/takes/\(copy.first)").object?["title"] == "Theirs")
      }
    }

    @Test func anExportIsMadeAsThePlayerIsSetAndDownloads() async throws {
      try await Stage.runWithTones { stage, page, copy in
        try await page.openTake(copy.first, of: stage.service)
        let done = try await page.takes(
          """
          document.querySelector('.strip[data-track="1"] .mute').click();
          await takes.press("Export …");
          const dialog = await takes.shown("dialog[open]");
          dialog.querySelector("form").requestSubmit();
          const link = await takes.until(() => dialog.querySelector('.exports a[download]'));
          const answer = await fetch(link.href);
          const bytes = await answer.arrayBuffer();
          const sound = await new OfflineAudioContext(1, 1, 48_000).decodeAudioData(bytes);
          const part = sound.getChannelData(0).subarray(96_000, 144_000);
          const muted = { Ada: 440, Bob: 660, Cyd: 990 }[jamjarPlayer.a.tracks.find(({ number }) => number === 1).participant.name];
          return [answer.status, sound.length, takes.tone(part, muted), Math.max(...[440, 660, 990].map((hertz) => takes.tone(part, hertz)))];
          """)
        let values = (done.array ?? []).compactMap(\.double)
        try #require(values.count == 4)
        #expect(values[0] == 200 && values[1] > 9 * 48_000)
        #expect(values[2] < 1e-3 && values[3] > 0.05, "the muted track is not in the mix: \(values)")
        let deleted = try await page.takes(
          """
          await takes.press("Remove");
          await takes.until(() => !document.querySelector('.exports a'));
          return (await (await fetch("/v1/exports")).json()).items.length;
          """)
        #expect(deleted == 0)
      }
    }

    @Test func aTakeThatRollsShowsItselfOnceItIsReadyAndAnUnknownOneIsToldOf() async throws {
      try await Stage.run { stage in
        let page = try await stage.openPage()
        let sender = try await ToneSender("Ada", frequency: 440, in: "live", of: stage.service)
        let take = try await stage.service.rollingTake(in: "live", lasting: 1)
        try await page.open("\(stage.service.address)/takes/\(take)")
        let waiting = try await page.takes("return (await takes.shown('.waiting')).textContent;")
        #expect(waiting.string?.contains("is being recorded") == true, "\(waiting)")
        try await sender.end()
        try await page.takes("await takes.shown('.strip'); return null;")
        #expect(try await page.text(".strip-name").contains("Ada"))

        try await page.open("\(stage.service.address)/takes/\(String(take.dropLast(4)))0000")
        let told = try await page.takes("return (await takes.shown('#view [role=alert]')).textContent;")
        #expect(told.string?.contains("There is no such take") == true, "\(told)")
      }
    }

    @Test func aDeletedTakeComesBackFromItsOwnPage() async throws {
      try await Stage.runWithTones { stage, page, copy in
        try await page.openTake(copy.first, of: stage.service)
        try await page.takes(
          "await takes.press('Delete'); await takes.until(() => !document.querySelector('.trash-note').hidden);")
        #expect(try await stage.service.get("/v1/takes?deleted=true").object?["items"]?.array?.count == 1)
        try await page.takes(
          "await takes.press('Undo'); await takes.until(() => document.querySelector('.trash-note').hidden);")
        #expect(try await stage.service.get("/v1/takes/\(copy.first)").object?["deletedAt"] == .null)
      }
    }
  }
}
