import Foundation
import Glibc
import Signaling
import TestSupport
import Testing

extension Pages {
  /// What musicians see and do in a room of the web studio.
  @Suite(.serialized) struct StudioRoomTests {
    /// Waits for one of the server's events on the page.
    private static func next(_ event: String) -> String {
      "await new Promise((resolve) => jamjar.events.addEventListener('\(event)', resolve, { once: true }));"
    }

    @Test func twoWriteOneSheetAtTheSameTimeAndItStays() async throws {
      try await Stage.run { stage in
        var pages: [Page] = []
        for (name, tone) in [("Ada", 440.0), ("Bob", 660)] {
          let page = try await stage.openStudio()
          try await page.joinWithTone("writers", as: name, frequency: tone)
          pages.append(page)
        }
        let write = """
          const sheet = document.getElementById("sheet");
          const put = (text, at) => {
            sheet.setRangeText(text, at, at, "end");
            sheet.dispatchEvent(new Event("input"));
          };
          """
        try await pages[0].run(write + "put('Dm7 G7', 0);")
        try await pages[1].untilTrue("document.getElementById('sheet').value === 'Dm7 G7'")
        let (ada, bob) = (pages[0], pages[1])
        // Both go on at once, one in front and one behind, letter by letter.
        async let front: JSONValue = ada.run(
          write
            + "let at = 0; for (const letter of 'Intro: ') { put(letter, at++); await new Promise(requestAnimationFrame); }"
        )
        async let back: JSONValue = bob.run(
          write
            + "for (const letter of ' Cmaj7') { put(letter, sheet.value.length); await new Promise(requestAnimationFrame); }"
        )
        _ = try await (front, back)
        for page in pages {
          try await page.untilTrue("document.getElementById('sheet').value === 'Intro: Dm7 G7 Cmaj7'")
        }
        for page in pages { try await page.leave() }
        // It stays with the room.
        try await pages[1].joinWithTone("writers", as: "Bob", frequency: 660)
        try await pages[1].untilTrue("document.getElementById('sheet')?.value === 'Intro: Dm7 G7 Cmaj7'")
      }
    }

    @Test func whateverWayMessagesGoAllHaveOneTextWithAllThatWasWritten() async throws {
      try await Stage.run { stage in
        let page = try await stage.openStudio()
        #expect(try await page.run(PageScript.text("writers.js")) == [])
      }
    }

    @Test func keysMarkSplitAndMute() async throws {
      try await Stage.run { stage in
        let page = try await stage.openStudio()
        try await page.joinWithTone("keys", as: "Ada", frequency: 440)
        try await page.until("state.take")
        try await page.run("document.body.focus(); window.seen = (async () => { \(StudioRoomTests.next("cue")) })();")
        try await page.press("c")
        try await page.run("await window.seen;")
        #expect(try await page.text("#cues").contains("Cue 1"))
        // In a field, keys are letters.
        try await page.run("document.getElementById('cue').focus();")
        try await page.press("solo")
        try await page.run(
          "document.activeElement.blur(); window.seen = (async () => { \(StudioRoomTests.next("cue")) })();")
        try await page.press("c")
        try await page.run("await window.seen;")
        #expect(try await page.text("#cues").contains("solo"))
        let first = try await page.run("return jamjar.state.take.id;")
        try await page.press("s")
        try await page.untilTrue("jamjar.state.take && jamjar.state.take.id !== '\(first.string ?? "")'")
        #expect(try await page.text("#cues") == "")
        try await page.press("m")
        try await page.untilTrue("document.querySelector('.mute').getAttribute('aria-pressed') === 'true'")
        #expect(try await page.run("return jamjar.stream.getAudioTracks()[0].enabled;") == false)
        try await page.press("?")
        try await page.untilShown("dialog[open]")
        #expect(try await page.text("dialog[open]").contains("Mark this moment"))
      }
    }

    @Test func theLightIsTrueAboutTheDisk() async throws {
      try await Stage.run { stage in
        let page = try await stage.openStudio()
        try await page.joinWithTone("light", as: "Ada", frequency: 440)
        try await page.untilShown(".light[data-state=safe]")
        // Nothing is written any more, and the page finds out by itself.
        stage.service.process.send(SIGSTOP)
        defer { stage.service.process.send(SIGCONT) }
        try await page.untilShown(".light:not([data-state=safe])")
        stage.service.process.send(SIGCONT)
        try await page.untilShown(".light[data-state=safe]")
      }
    }

    @Test func eachMusicianIsShownWithConnectionAndDelay() async throws {
      try await Stage.run { stage in
        var pages: [Page] = []
        for (name, tone) in [("Ada", 440.0), ("Bob", 660)] {
          let page = try await stage.openStudio()
          try await page.joinWithTone("delays", as: name, frequency: tone)
          pages.append(page)
        }
        for (page, other) in zip(pages, ["Bob", "Ada"]) {
          try await page.untilTrue(
            "/You hear \(other) \\d+ ms late, \(other) hears you \\d+ ms late/.test(document.querySelector('.panels').textContent)"
          )
          try await page.untilTrue(
            "/Connection \\w+[^,]*, round trip \\d+ ms/.test(document.querySelector('.panels').textContent)")
        }
        for page in pages {
          let troubles = try await page.run(
            "return [...document.querySelectorAll('.trouble')].map((node) => node.innerText).join('');")
          #expect(troubles == "")
        }
      }
    }

    @Test func anotherMicrophoneIsTakenWithoutLeavingTheTrack() async throws {
      try await Stage.run { stage in
        let page = try await stage.openStudio(at: "/rooms/swap?name=Ada")
        try await page.untilShown("#enter")
        try await page.run("document.getElementById('enter').click();")
        try await page.until("state.phase === 'joined' && state.take")
        try await page.untilJournaled(2)
        try await page.run(
          """
          [...document.querySelectorAll(".member button")].find((button) => button.textContent.startsWith("Microphone")).click();
          """)
        try await page.untilShown("dialog[open] #room-channels")
        try await page.run(
          """
          const changed = new Promise((resolve) => jamjar.events.addEventListener("microphone", resolve, { once: true }));
          document.getElementById("room-channels").value = "left";
          document.querySelector("dialog[open] form").requestSubmit();
          await changed;
          """)
        let before = try await page.run("return jamjar.state.safe;").double ?? 0
        try await page.untilJournaled(before + 2)
        try await page.leave()
        let take = try await stage.service.finishedTake(in: "swap")
        #expect(take.tracks.count == 1)
        let tail = take.tracks[0].sound.left.suffix(48_000)
        #expect(tail.contains { abs($0) > 0.1 }, "the new channel is heard")
      }
    }

    @Test func aServiceThatIsStartedAnewGoesOnWithTheRoom() async throws {
      let folder = try TemporaryFolder()
      let first = try await Service([], folder: folder)
      let driver = try await WebDriver()
      do {
        let page = try await driver.openBrowser()
        try await page.openStudio(of: first)
        try await page.joinWithTone("again", as: "Ada", frequency: 440)
        try await page.untilJournaled(2)
        first.process.send(SIGKILL)
        try await page.until("state.phase === 'reconnecting'")
        try await page.untilTrue("document.getElementById('notice').innerText.includes('keeps trying')")
        let second = try await Service([], folder: folder, port: first.port)
        try await page.until("state.phase === 'joined' && state.take && state.peers.microphone === 'connected'")
        try await page.untilJournaled(1)
        try await page.leave()
        try await eventually("both takes are finished") {
          let takes = try await second.takes(in: "again")
          return takes.count == 2 && takes.allSatisfy { ["ready", "incomplete"].contains($0["state"]?.string) }
        }
        await page.close()
        await driver.close()
        await second.close()
      } catch {
        await driver.close()
        await first.close()
        throw error
      }
    }
  }
}
