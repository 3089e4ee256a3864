import Foundation
import Signaling
import Testing

extension Players {
  /// A whole evening of three musicians who know nothing of Jamjar but its page, in the browser that people have.
  @Suite(.serialized) struct StudioEveningTests {
    /// A browser whose microphone plays a tone, at the door of the room.
    private func arrive(_ name: String, _ frequency: Double, _ part: String, at stage: Stage) async throws -> Page {
      let path = stage.service.path("\(name).wav")
      try WaveFile.write(
        Sound(toneOf: frequency, levels: [0.3, 0.3], rate: Microphone.rate, seconds: 60), to: path)
      let page = try await stage.openStudio(
        microphone: path, at: "/rooms/evening?name=\(name)&part=\(part)", in: .browser)
      try await page.untilShown("#enter")
      return page
    }

    private func joined(_ page: Page) async throws {
      try await page.until(
        "state.phase === 'joined' && Object.values(state.peers).length === 3 && Object.values(state.peers).every((peer) => peer === 'connected')"
      )
    }

    @Test func threeJoinPlaySplitCueReloadAndListenBack() async throws {
      try await Stage.run { stage in
        async let guitar = arrive("Ada", 440, "guitar", at: stage)
        async let bass = arrive("Bob", 660, "bass", at: stage)
        async let flute = arrive("Cat", 990, "flute", at: stage)
        let (ada, bob, cat) = (try await guitar, try await bass, try await flute)
        let pages = [ada, bob, cat]
        for page in pages { try await page.run("document.getElementById('enter').click();") }
        for page in pages { try await joined(page) }
        for page in pages {
          try await page.untilTrue(
            "[...jamjar.studio.members.keys()].every((id) => jamjar.level(id) > 0.05)")
        }
        try await ada.untilJournaled(3)
        let first = try #require(try await ada.run("return jamjar.state.take.id;").string)
        try await bob.press("c")
        try await ada.untilTrue("document.getElementById('cues').innerText.includes('Cue 1')")
        try await ada.press("s")
        for page in pages { try await page.until("state.take && state.take.id !== '\(first)'") }
        let second = try #require(try await ada.run("return jamjar.state.take.id;").string)
        // In the middle of the second take a page is loaded anew, and nobody has to do anything.
        try await cat.reload()
        try await joined(cat)
        let position = try await ada.run("return jamjar.state.safe;").double ?? 0
        try await ada.untilJournaled(position + 4)
        try await ada.run("document.getElementById('take-stop').click();")
        try await ada.until("!state.take")

        // The take is there, a click away, and whoever listens stays in the room.
        try await ada.untilTrue("document.querySelector('.part-last a[href$=\"\(second)\"]')")
        try await ada.run("document.querySelector('.part-last a[href$=\"\(second)\"]').click();")
        let heard = try await ada.takes(
          """
          await takes.until(() => window.jamjarDeck && document.querySelectorAll(".strip").length === 3);
          const tones = [440, 660, 990], { left } = await takes.listen(24_000, Math.max(0, jamjarPlayer.length - 3));
          return tones.map((hertz) => takes.tone(left, hertz));
          """)
        let levels = heard.array?.compactMap(\.double) ?? []
        #expect(levels.count == 3 && levels.allSatisfy { $0 > 0.05 }, "\(levels)")
        #expect(try await ada.run("return jamjar.state.phase;") == "joined")
        try await ada.run("await jamjar.go('/takes/\(first)');")
        try await ada.untilTrue("document.querySelector('main').innerText.includes('Cue 1')")
        // Back in the room by the link in the header, with all that was there.
        try await ada.run("document.getElementById('place-link').click();")
        try await ada.untilShown("#members")
        try await ada.leave()
        // At the door again: what was played tonight is one click away.
        try await ada.untilTrue("/: 2 takes ▶$/.test(document.querySelector('.tonight:not([hidden])')?.innerText)")
        try await ada.run("document.querySelector('.tonight').click();")
        try await ada.untilTrue("document.querySelectorAll('.take-row').length === 2")
        try await ada.untilShown(".evening a[download]")
        for page in pages {
          try await page.leave()
          try await page.expectNoComplaints()
        }
        let takes = try await stage.service.takes(in: "evening")
        #expect(takes.count == 2 && takes.allSatisfy { $0["trackCount"] == 3 }, "\(takes)")
      }
    }
  }
}
