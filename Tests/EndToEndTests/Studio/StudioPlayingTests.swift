import Foundation
import Signaling
import TestSupport
import Testing

extension Players {
  /// The parts of the room that are used while playing.
  @Suite(.serialized) struct StudioPlayingTests {
    private func enter(_ page: Page, _ stage: Stage, _ address: String) async throws {
      try await page.openStudio(of: stage.service, at: address)
      try await page.untilShown("#enter")
      try await page.run("document.getElementById('enter').click();")
      try await page.until("state.phase === 'joined'")
    }

    /// Holds the talk key or releases it.
    private func talk(_ page: Page, _ isHeld: Bool) async throws {
      let kind = isHeld ? "keydown" : "keyup"
      try await page.run(
        "document.body.dispatchEvent(new KeyboardEvent(arguments_[0], { key: 't', bubbles: true }));", .string(kind))
      try await page.untilTrue("jamjar.studio.talkback.state === '\(isHeld ? "open" : "off")'")
    }

    /// Two musicians at a time, each in a mode of its own, whom a third one hears.
    @Test func talkIsHeardByTheOthersAndInNoFile() async throws {
      try await Stage.run { stage in
        let bob = try await stage.openBrowser()
        var pages: [Page] = []
        for _ in StudioPlayingTests.talkers {
          let page = try await stage.openBrowser()
          // A tone that is another one while they talk.
          try await page.prepare(StudioWalkTests.instrument)
          try await page.open("\(stage.service.address)/healthz")
          pages.append(page)
        }
        for modes in [["stereo", "left"], ["right", "mono"]] {
          let room = "talk-\(modes[0])"
          try await enter(bob, stage, "/rooms/\(room)?name=Bob")
          for (page, (name, channels)) in zip(pages, zip(StudioPlayingTests.talkers, modes)) {
            try await page.run(
              "localStorage.setItem('jamjar-channels', JSON.stringify(arguments_[0]));", .string(channels))
            try await enter(page, stage, "/rooms/\(room)?name=\(name)")
          }
          try await talk(pages, heardBy: bob)
          try await pages[0].run("document.getElementById('take-stop').click();")
          for page in pages + [bob] { try await page.leave() }
          // A tone looks the same everywhere, so that its copy may be refused; then no file has it at all.
          for page in pages { try await StudioWalkTests.untilCopiesAreOver(on: page) }
          let faults = try await StudioWalkTests.leaks(in: room, of: stage.service, of: StudioPlayingTests.talkers)
          #expect(faults == [], "\(modes)")
        }
      }
    }

    private static let talkers = ["Ada", "Cat"]

    /// All of them play, talk at the same time, and play on.
    private func talk(_ pages: [Page], heardBy bob: Page) async throws {
      for page in pages { try await page.untilTrue("jamjar.studio.canTalk") }
      try await pages[0].untilJournaled(1)
      for page in pages {
        try await talk(page, true)
        try await page.run("await secret(true);")
      }
      try await bob.untilTrue("document.querySelector('#members').innerText.match(/talks/g)?.length === \(pages.count)")
      for name in StudioPlayingTests.talkers {
        try await bob.untilTrue(
          "[...jamjar.studio.members.values()].some(({ participant }) => participant.name === '\(name)' && jamjar.level(participant.id) > 0.05)"
        )
      }
      let safe = try await pages[0].run("return jamjar.state.safe;").double ?? 0
      try await pages[0].untilJournaled(safe + 1)
      for page in pages {
        try await page.run("await secret(false);")
        try await talk(page, false)
      }
      let back = try await pages[0].run("return jamjar.state.safe;").double ?? 0
      try await pages[0].untilJournaled(back + 2)
    }

    @Test func theLastTakeIsPlayedRatedKeptAndDiscardedInTheRoom() async throws {
      try await Stage.run { stage in
        let page = try await stage.openBrowser()
        try await enter(page, stage, "/rooms/last?name=Ada")
        try await page.untilJournaled(3)
        try await page.run("document.getElementById('take-stop').click();")
        try await page.untilShown(".take-strip .play-last:not(:disabled)")
        let take = try await stage.service.finishedTake(in: "last")
        try await page.run("document.querySelector('.play-last').click();")
        try await page.untilTrue("document.querySelector('.play-last').innerText === 'Pause'")
        try await page.press("k")
        try await page.untilShown(".take-strip .heart[aria-pressed=true]")
        try await page.run("document.querySelectorAll('.take-strip .stars input')[3].click();")
        let service = stage.service
        try await eventually("it is kept and rated") {
          let kept = try await service.get("/v1/takes/\(take.id)").object ?? [:]
          return kept["favourite"] == true && kept["rating"] == 4
        }
        try await page.run(
          "[...document.querySelectorAll('.take-strip button')].find((one) => one.innerText === 'Discard').click();")
        try await page.untilTrue("document.querySelector('.part-last').innerText.includes('in the trash')")
        #expect(try await stage.service.takes(in: "last").isEmpty)
        try await page.run(
          "[...document.querySelectorAll('.part-last button')].find((one) => one.innerText === 'Undo').click();")
        try await page.untilShown(".take-strip .name")
        #expect(try await stage.service.takes(in: "last").count == 1)
        #expect(try await page.run("return jamjar.state.phase;") == "joined")
        try await page.expectNoComplaints()
      }
    }

    @Test func theTakesOfTheSessionAreAtHandWithNamesThatAreWrittenInPlace() async throws {
      try await Stage.run { stage in
        let service = stage.service
        let page = try await stage.openBrowser()
        try await enter(page, stage, "/rooms/hand?name=Ada")
        for number in 1...2 {
          try await page.untilJournaled(2)
          let take = try #require(try await page.run("return jamjar.state.take.id;").string)
          try await page.run("document.getElementById('take-split').click();")
          try await page.until("state.take && state.take.id !== '\(take)'")
          try await page.untilTrue(
            "document.querySelectorAll('.take-strip .play-last:not(:disabled)').length === \(number)")
        }
        let all = try await page.run(
          "return [...document.querySelectorAll('.take-strip')].map((row) => row.dataset.take);")
        let ids = all.array?.compactMap(\.string) ?? []
        try #require(ids.count == 2)
        // The last one first; the name of the other is written while the third take rolls.
        #expect(ids[0] > ids[1])
        try await page.run("document.querySelectorAll('.take-strip input.name')[1].focus();")
        try await page.press("The good one\u{E007}")
        try await eventually("it is named") {
          try await service.get("/v1/takes/\(ids[1])").object?["title"] == "The good one"
        }
        // What is being typed stays, whatever comes: another's edit, the end of a take.
        try await page.run("document.querySelectorAll('.take-strip input.name')[1].focus();")
        try await page.press(" of all")
        let edit = try await HTTP.send("PATCH", "\(service.address)/v1/takes/\(ids[0])", json: ["title": "Bob's"])
        #expect(edit.status == 200)
        try await page.untilTrue("document.querySelector('.take-strip input.name').value === \"Bob's\"")
        try await page.run("document.getElementById('take-stop').click();")
        try await page.untilTrue("document.querySelectorAll('.take-strip .play-last:not(:disabled)').length === 3")
        #expect(try await page.run("return document.activeElement.value;") == "The good one of all")
        try await page.press("\u{E00C}")
        let kept = try await page.run("return document.querySelectorAll('.take-strip input.name')[2].value;")
        #expect(kept == "The good one")
        // One plays at a time.
        for (pressed, words) in [(0, ["Pause", "Play", "Play"]), (1, ["Play", "Pause", "Play"])] {
          try await page.run("document.querySelectorAll('.play-last')[\(pressed)].click();")
          try await page.untilTrue(
            "[...document.querySelectorAll('.play-last')].map((one) => one.innerText).join() === '\(words.joined(separator: ","))'"
          )
        }
        #expect(try await page.run("return jamjar.state.phase;") == "joined")
        try await page.expectNoComplaints()
      }
    }

    @Test func aCountInIsHeardByEverybodyAndThenATakeRolls() async throws {
      try await Stage.run("--recording", "manual") { stage in
        let (ada, bob) = try await stage.openTwoBrowsers()
        try await enter(bob, stage, "/rooms/count?name=Bob")
        try await enter(ada, stage, "/rooms/count?name=Ada")
        for page in [ada, bob] {
          try await page.untilTrue("jamjar.studio.serverClock.at(0) !== null && jamjar.studio.desk.object.version")
        }
        try await bob.run(
          "window.counted = new Promise((resolve) => jamjar.events.addEventListener('countIn', ({ detail }) => resolve(detail), { once: true }));"
        )
        try await ada.run(
          """
          const bars = document.getElementById("count-bars");
          bars.value = "1";
          bars.dispatchEvent(new Event("change"));
          document.getElementById("count-tempo").value = "200";
          document.getElementById("take-start").click();
          """)
        let count = try await bob.run("return await window.counted;").object ?? [:]
        #expect(count["bars"] == 1 && count["tempo"] == 200)
        for page in [ada, bob] { try await page.until("state.take") }
      }
    }

    @Test func theLineOfATakeGrowsAndNeverHoldsMoreThanItsColumns() async throws {
      try await Stage.run { stage in
        let page = try await stage.openBrowser()
        try await enter(page, stage, "/rooms/line?name=Ada")
        // An hour, a tenth of a second at a time: loud for a minute in the middle, muted in the last quarter.
        let hour = try await page.run(
          """
          const { TakeLine } = await import("/studio/playing/take-line.js");
          const line = new TakeLine();
          for (const [at, level] of [[NaN, 1], [-1, 1], [Infinity, 1], [0, NaN]]) line.add(at, level, true);
          const empty = line.length;
          for (let tenth = 0; tenth < 36_000; tenth += 1) {
            line.add(tenth / 10, tenth >= 18_000 && tenth < 18_600 ? 0.8 : 0.1, tenth >= 27_000);
          }
          const loud = [...line.levels].flatMap((level, at) => (level > 0.5 ? [at * line.step] : []));
          const muted = [...line.silences].flatMap((is, at) => (is ? [at * line.step] : []));
          return [empty, line.levels.length, line.length * line.step >= 3600, Math.abs(loud[0] - 1800) <= line.step,
            Math.abs(loud.at(-1) - 1860) <= 2 * line.step, Math.abs(muted[0] - 2700) <= line.step];
          """)
        #expect(hour == [0, 600, true, true, true, true])
        // The one on the page has grown with the take, and shows its cue.
        try await page.run(
          """
          const line = document.querySelector(".take-line"), { width, height } = line;
          const pen = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
          const count = (from, to) => {
            pen.clearRect(0, 0, width, height);
            pen.drawImage(line, 0, 0);
            const isPainted = (x) => pen.getImageData(x, from, 1, to - from).data.some((value) => value > 0);
            return [...Array(width).keys()].filter(isPainted).length;
          };
          window.columns = () => count(0, height - 6);
          window.silences = () => count(height - 4, height);
          """)
        try await page.untilJournaled(2)
        let before = try await page.run("return columns();").double ?? 0
        let safe = try await page.run("return jamjar.state.safe;").double ?? 0
        try await page.untilJournaled(safe + 1)
        let after = try await page.run("return columns();").double ?? 0
        #expect(before > 10 && after > before, "\(before), \(after)")
        #expect(try await page.run("return silences();") == 0)
        // What is muted is seen below it.
        try await page.press("m")
        try await page.untilTrue("silences() > 0")
        let complaints = try await page.complaints()
        #expect(complaints == [], "\(complaints)")
      }
    }

    @Test func theStageViewShowsNamesPartsMetersAndTheSign() async throws {
      try await Stage.run { stage in
        let page = try await stage.openBrowser(BrowserSettings(size: (1_280, 900)))
        try await enter(page, stage, "/rooms/stage?name=Ada&part=guitar")
        try await page.untilShown(".light[data-state=safe]")
        try await page.press("f")
        try await page.untilShown("[data-stage] .member .meter")
        for hidden in ["take-form", "sheet", "messages"] {
          let isShown = try await page.run("return document.getElementById('\(hidden)').checkVisibility();")
          #expect(isShown == false, "\(hidden)")
        }
        let size = try await page.run(
          "return parseFloat(getComputedStyle(document.querySelector('.who strong')).fontSize);")
        // 10 mm on a screen of 96 dots per inch.
        #expect((size.double ?? 0) >= 40, "to be read from two metres")
        let words = try await page.text("#members")
        #expect(words.contains("Ada") && words.contains("guitar") && words.contains("Safe on disk"))
        try await page.press("f")
        try await page.untilShown("#sheet")
        try await page.untilShown("#take-form")
      }
    }
  }
}
