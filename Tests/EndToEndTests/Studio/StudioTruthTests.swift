import Foundation
import Glibc
import Signaling
import Testing

extension Doors {
  /// What the room says of a recording, and what is recorded.
  @Suite(.serialized) struct StudioTruthTests {
    private func enter(_ page: Page, _ stage: Stage, _ address: String) async throws {
      try await page.openStudio(of: stage.service, at: address)
      try await page.untilShown("#enter")
      try await page.run("document.getElementById('enter').click();")
      try await page.until("state.phase === 'joined'")
    }

    @Test func everyWordFollowsFromTheFactsWhateverTheyAre() async throws {
      try await Stage.run { stage in
        let page = try await stage.openStudio()
        #expect(try await page.run(PageScript.text("truth.js")) == [])
      }
    }

    @Test func afterAStopNothingIsRecordedAndThePageSaysSo() async throws {
      try await Stage.run { stage in
        let ada = try await stage.openBrowser()
        try await enter(ada, stage, "/rooms/stop?name=Ada")
        try await ada.untilJournaled(2)
        try await ada.run("document.getElementById('take-stop').click();")
        try await ada.until("!state.take")
        let stopped = "/^Stopped\\. Nothing is recorded/.test(document.getElementById('disk')?.innerText)"
        try await ada.untilTrue(stopped)
        #expect(try await ada.text("#recording-text") == "Stopped: not recording")
        // Neither a page that is loaded anew nor another musician begins what nobody has asked for.
        try await ada.reload()
        try await ada.until("state.phase === 'joined' && state.peers.microphone === 'connected'")
        try await ada.untilTrue(stopped)
        let bob = try await stage.openBrowser()
        try await enter(bob, stage, "/rooms/stop?name=Bob")
        try await bob.untilTrue("[...jamjar.studio.members.values()].every((member) => member.publishing)")
        try await bob.untilTrue(stopped)
        #expect(try await bob.run("return jamjar.state.take;") == .null)
        try await bob.run("document.getElementById('take-start').click();")
        for page in [ada, bob] { try await page.untilShown("#recording[data-rolling=true]") }
        #expect(try await stage.service.takes(in: "stop").count == 2)
        try await ada.expectNoComplaints()
      }
    }

    @Test func anOutageIsSaidAsItIs() async throws {
      let folder = try TemporaryFolder()
      let service = try await Service([], folder: folder)
      let driver = try await WebDriver()
      do {
        let page = try await driver.openBrowser()
        try await page.openStudio(of: service, at: "/rooms/outage?name=Ada")
        try await page.untilShown("#enter")
        try await page.run("document.getElementById('enter').click();")
        try await page.untilShown(".light[data-state=safe]")
        try await page.press("m")
        try await page.untilShown(".light[data-state=muted]")
        #expect(try await page.text(".light") == "Muted: silence is recorded")
        service.process.send(SIGKILL)
        try await page.untilTrue("document.getElementById('notice').innerText.includes('has been lost since')")
        try await page.untilShown("#recording[data-state=unsure]")
        let notice = try await page.text("#notice")
        #expect(notice.contains("You are muted: your copy here is silent."), "\(notice)")
        #expect(try await page.text(".light").hasPrefix("Unknown since the link was lost; on disk up to 0:"))
        // The counter stands still.
        let counter = try await page.text("#recording-time")
        let safe = try await page.run("return jamjar.state.safe;").double ?? -1
        #expect(counter == String(format: "0:%02d", Int(safe)))
        await page.close()
        await driver.close()
        await service.close()
      } catch {
        await driver.close()
        await service.close()
        throw error
      }
    }

    @Test func aSongTypedWhileATakeRollsIsKeptForItAndShownToEverybody() async throws {
      try await Stage.run { stage in
        let (ada, bob) = try await stage.openTwoBrowsers()
        try await enter(ada, stage, "/rooms/song?name=Ada")
        try await enter(bob, stage, "/rooms/song?name=Bob")
        try await ada.untilJournaled(1)
        try await ada.run("document.getElementById('song').focus();")
        try await ada.press("Solar")
        try await ada.run("document.getElementById('song').blur();")
        for page in [ada, bob] {
          try await page.untilTrue(
            "document.getElementById('recording-text').innerText === 'Recording · Take 1 · Solar'")
        }
        #expect(try await bob.run("return document.getElementById('song').value;") == "Solar")
        try await ada.press("c")
        try await bob.untilTrue("document.getElementById('cues').innerText.includes('Ada')")
        try await ada.run("document.getElementById('take-stop').click();")
        let take = try await stage.service.finishedTake(in: "song")
        let song = try await stage.service.get("/v1/takes/\(take.id)").object?["song"]?.object?["title"]
        #expect(song == "Solar")
      }
    }

    @Test func whatIsClosedIsNotThereAndNoCueIsSignedWithAnIdentifier() async throws {
      try await Stage.run { stage in
        let page = try await stage.openBrowser()
        try await enter(page, stage, "/rooms/closed?name=Ada")
        try await page.untilJournaled(1)
        let seen = try await page.run(
          "return [...document.querySelectorAll('dialog')].filter((dialog) => dialog.checkVisibility()).length;")
        #expect(seen == 0)
        try await page.press("c")
        try await page.untilTrue("document.getElementById('cues').innerText.includes('Ada')")
        try await page.run("document.getElementById('take-stop').click();")
        let take = try await stage.service.finishedTake(in: "closed")
        try await page.run("await jamjar.go('/takes/\(take.id)');")
        try await page.untilTrue("document.querySelector('[data-cue] small')?.innerText === 'Ada'")
      }
    }
  }
}
