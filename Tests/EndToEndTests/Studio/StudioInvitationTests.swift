import Signaling
import Testing

extension Doors {
  /// From the owner of a room, who invites, to the friend, who plays.
  @Suite(.serialized) struct StudioInvitationTests {
    private static let key = "a-key-of-more-than-sixteen"
    private static let keys = [
      "JAMJAR_JOIN_SECRET": "a secret of at least thirty-two bytes for this test", "JAMJAR_API_KEYS": key,
    ]

    /// Somebody in the room "den" who listens, by an invitation that the command line made.
    private func come(_ name: String, as role: String, to stage: Stage) async throws -> Page {
      let address = stage.service.address
      let made = try await CommandRun([
        "invite", "den", name, "--role", role, "--json", "--server", address, "--token", StudioInvitationTests.key,
      ])
      let link = try #require(try made.json["items"]?.array?.first?.object?["url"]?.string)
      let page = try await stage.openBrowser()
      try await page.open(link)
      try await page.untilShown("#listener")
      #expect(try await page.run("return document.getElementById('name').value;") == .string(name))
      try await page.run("document.getElementById('listener').click(); document.getElementById('enter').click();")
      try await page.until("state.phase === 'joined'")
      return page
    }

    @Test func theOwnerInvitesAndTheFriendPlaysUntilItIsWithdrawn() async throws {
      try await Stage.run([], environment: StudioInvitationTests.keys) { stage in
        let owner = try await come("Olga", as: "owner", to: stage)
        try await owner.untilShown("#invite")
        try await owner.run("document.getElementById('invite').click();")
        try await owner.untilTrue("document.querySelectorAll('dialog[open] .links [data-id]').length === 1")
        try await owner.submit("dialog[open] form", ["dialog[open] form input": "ada"])
        try await owner.untilTrue("document.querySelector('dialog[open] .qr')?.naturalWidth > 0")
        let link = try #require(
          try await owner.run("return document.querySelector('dialog[open] .invitation input').value;").string)
        #expect(link.hasPrefix("\(stage.service.address)/?room=den#token="), "\(link)")

        // Another browser knows nothing but the link.
        let ada = try await stage.openBrowser()
        try await ada.open(link)
        try await ada.untilShown("#enter")
        let found = try await ada.run(
          "return [document.getElementById('name').value, location.pathname, location.hash];")
        #expect(found == ["ada", "/rooms/den", ""])
        try await ada.submit("#join", ["#name": "Ada"])
        try await ada.untilJournaled(1)
        try await owner.untilTrue("document.getElementById('members').innerText.includes('Ada')")
        // A musician invites nobody, and is told what a copied address is worth.
        #expect(try await ada.run("return document.getElementById('invite') === null;") == true)
        // The name comes back as she wrote it.
        try await ada.leave()
        try await ada.open(stage.service.address + "/rooms/den")
        try await ada.untilShown("#enter")
        #expect(try await ada.run("return document.getElementById('name').value;") == "Ada")
        try await ada.run("document.getElementById('enter').click();")
        try await ada.until("state.phase === 'joined'")

        try await owner.untilTrue(
          "[...document.querySelectorAll('dialog[open] .links li')].some((one) => one.innerText.startsWith('ada'))")
        try await owner.run(
          """
          const row = [...document.querySelectorAll("dialog[open] .links li")].find((one) => one.innerText.startsWith("ada"));
          [...row.querySelectorAll("button")].find((one) => one.textContent === "Withdraw").click();
          """)
        try await ada.untilShown(".state-card[data-code=removed]")
        try await ada.open(stage.service.address + "/rooms/den")
        try await ada.untilShown("form[data-lapse=withdrawn]")
        let words = try await ada.text("main")
        #expect(words.contains("Your invitation was withdrawn"), "\(words)")
        try await owner.expectNoComplaints()
      }
    }

    @Test func withoutKeysTheLinkIsTheRoomsAddressAndThePageSaysSo() async throws {
      try await Stage.run { stage in
        let page = try await stage.openStudio(at: "/rooms/den?name=Ada")
        try await page.untilShown("#listener")
        try await page.run("document.getElementById('listener').click(); document.getElementById('enter').click();")
        try await page.until("state.phase === 'joined'")
        try await page.untilShown("#invite")
        try await page.run("document.getElementById('invite').click();")
        try await page.untilTrue("document.querySelector('dialog[open] .hint')?.textContent.includes('no keys')")
        try await page.submit("dialog[open] form", ["dialog[open] form input": "Bob"])
        try await page.untilShown("dialog[open] .qr")
        let link = try await page.run("return document.querySelector('dialog[open] .invitation input').value;")
        #expect(link == .string("\(stage.service.address)/?room=den&name=Bob"))
        try await page.expectNoComplaints()
      }
    }
  }
}
