import Signaling
import Testing

extension Pages {
  /// A page that is loaded anew shows what its address says, and its musician is where they were.
  @Suite(.serialized) struct StudioReloadTests {
    @Test func inTheMiddleOfATakeTheRoomIsThereAgain() async throws {
      try await Stage.run { stage in
        let bob = try await stage.openStudio()
        try await bob.joinWithTone("reload", as: "Bob", frequency: 660)
        let ada = try await stage.openStudio(at: "/rooms/reload?name=Ada")
        try await ada.untilShown("#enter")
        try await ada.run("document.getElementById('enter').click();")
        try await ada.untilJournaled(3)
        try await bob.run("await jamjar.request('cue', { text: 'bridge' });")
        try await ada.untilTrue("document.getElementById('cues').innerText.includes('bridge')")
        try await ada.reload()
        // Nobody has to do anything, and everything is there.
        try await ada.untilTrue(
          """
          ["Ada (you)", "Bob"].every((name) => [...document.querySelectorAll(".member strong")].some((one) => one.innerText === name))
          """)
        try await ada.untilShown("#recording[data-rolling=true]")
        #expect(try await ada.text("#recording-text") == "Recording · Take 1")
        try await ada.untilTrue("/bridge Bob/.test(document.getElementById('cues').innerText)")
        // The take's own time, not the page's.
        try await ada.untilTrue(
          "document.getElementById('recording-time').innerText.split(':').reduce((sum, part) => 60 * sum + Number(part), 0) >= 3"
        )
        try await ada.untilShown(".light[data-state=safe]")
        try await ada.untilShown("#take-stop:not(:disabled)")
        for part in ["#sheet", "#messages-title", "#take-title", "#disk", "#leave"] { try await ada.untilShown(part) }
        #expect(try await ada.text("#who") == "", "no green room")
        try await ada.untilTrue("[...jamjar.studio.members.keys()].every((id) => jamjar.level(id) > 0.01)")
        try await ada.expectNoComplaints()
        try await ada.run("document.getElementById('take-stop').click();")
        let take = try await stage.service.finishedTake(in: "reload")
        #expect(Set(take.tracks.map(\.participant)) == ["Ada", "Bob"] && take.tracks.count == 2)
      }
    }

    @Test func aListenerListensAgain() async throws {
      try await Stage.run { stage in
        let bob = try await stage.openStudio()
        try await bob.joinWithTone("audience", as: "Bob", frequency: 660)
        let page = try await stage.openStudio(at: "/rooms/audience?name=Lea")
        try await page.untilShown("#listener")
        try await page.run("document.getElementById('listener').click(); document.getElementById('enter').click();")
        try await page.untilTrue("document.getElementById('members')?.innerText.includes('listening')")
        try await page.reload()
        try await page.untilTrue("document.getElementById('members')?.innerText.includes('Lea (you)\\nlistening')")
        try await page.untilShown("#recording[data-rolling=true]")
        try await page.untilTrue("[...jamjar.studio.members.keys()].some((id) => jamjar.level(id) > 0.01)")
        #expect(try await page.run("return jamjar.studio.microphone;") == .null)
        try await page.expectNoComplaints()
      }
    }

    @Test func whoLooksAtTakesStaysThereAndInTheRoom() async throws {
      try await Stage.run { stage in
        let page = try await stage.openStudio(at: "/rooms/away?name=Ada")
        try await page.untilShown("#enter")
        try await page.run("document.getElementById('enter').click();")
        try await page.until("state.take")
        try await page.run("await jamjar.go('/takes');")
        try await page.reload()
        try await page.until("state.phase === 'joined' && state.take && state.peers.microphone === 'connected'")
        try await page.untilShown("#recording[data-rolling=true]")
        #expect(try await page.run("return location.pathname;") == "/takes")
        #expect(try await page.text("h1") == "Takes")
        try await page.run("document.getElementById('place-link').click();")
        try await page.untilShown("#members .member")
        try await page.expectNoComplaints()
      }
    }

    @Test func whoWasNotInsideIsAtTheDoorAgain() async throws {
      try await Stage.run { stage in
        let page = try await stage.openStudio(at: "/rooms/door?name=Ada")
        try await page.untilShown("#enter")
        try await page.reload()
        try await page.untilShown("#enter")
        #expect(try await page.run("return jamjar.state.phase;") == "idle")
        // A seat that is not there any more leads to the door as well, with a sentence.
        try await page.run("document.getElementById('enter').click();")
        try await page.until("state.take")
        try await page.run(
          """
          const seat = JSON.parse(sessionStorage.getItem("jamjar-seat"));
          sessionStorage.setItem("jamjar-seat", JSON.stringify({ ...seat, room: "door", name: " Ada", resume: null }));
          """)
        try await page.reload()
        try await page.untilShown("#enter")
      }
    }
  }
}
