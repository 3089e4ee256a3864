import Foundation
import Signaling
import Testing

extension Programs {
  /// A link to a take, from the musician who makes it to the stranger who hears it; and what is shown without a server.
  @Suite(.serialized) struct StudioShareTests {
    /// Makes a link in the dialog of the take's page.
    private func link(_ page: Page, _ copy: TonesFolder.Copy, _ stage: Stage, password: String = "") async throws
      -> String
    {
      try await page.openTake(copy.first, of: stage.service)
      let link = try await page.takes(
        """
        await takes.shown(".take-actions button");
        [...document.querySelectorAll(".take-actions button")].find((one) => one.textContent.startsWith("Share")).click();
        const field = await takes.shown("dialog[open] input[type=password]");
        takes.write(field, given[0]);
        field.form.requestSubmit();
        return (await takes.shown(".made input")).value;
        """, .string(password))
      return try #require(link.string)
    }

    @Test func aStrangerHearsTheTakeAndTheBandReadsTheComment() async throws {
      try await Stage.runWithTones { stage, page, copy in
        let link = try await link(page, copy, stage)
        #expect(link.hasPrefix("\(stage.service.address)/s/"))
        let stranger = try await stage.openBrowser()
        try await stranger.open(link)
        try await stranger.untilShown(".play")
        let heard = try await stranger.run(
          """
          const { audio } = jamjarShare;
          jamjarShare.seek(1);
          jamjarShare.toggle();
          await new Promise((resolve) => {
            const look = () => (audio.currentTime > 1.3 ? resolve() : requestAnimationFrame(look));
            look();
          });
          jamjarShare.toggle();
          return { error: audio.error?.message ?? null, isFLAC: audio.src.endsWith("/mix") };
          """
        ).object
        #expect(heard?["error"] == .null)
        try await stranger.untilTrue("document.querySelector('.wave').dataset.state === 'ready'")
        try await stranger.submit(".comment-form", [".who input": "Ann", ".what input": "Louder!"])
        try await stranger.untilTrue("document.querySelector('.cues')?.innerText.includes('Ann: Louder!')")
        // As Opus ends: after the last sample of the take.
        try await stranger.run(
          "Object.defineProperty(jamjarShare.audio, 'currentTime', { get: () => jamjarShare.duration + 0.0065 });")
        try await stranger.submit(".comment-form", [".who input": "Ann", ".what input": "Once more!"])
        try await stranger.untilTrue("document.querySelector('.cues')?.innerText.includes('Ann: Once more!')")
        // Without loading the page anew.
        try await page.untilTrue(
          "[...document.querySelectorAll('.cue-list li')].some((one) => one.innerText.includes('Ann'))")
        try await page.run("document.querySelector('.cue-list .comment button').click();")
        try await page.untilTrue("document.querySelector('.cue-list .comment button').textContent === 'Show'")
        try await stranger.reload()
        try await stranger.untilShown(".play")
        let words = try await stranger.text("main")
        #expect(!words.contains("Louder!"))
        try await stranger.expectNoComplaints()
        try await page.expectNoComplaints()
      }
    }

    @Test func aSoundThatIsGoneIsAskedForOnceAndThePageSaysSo() async throws {
      try await Stage.runWithTones { stage, page, copy in
        let recordings = copy.folder.path + "/Recordings"
        for file in FileManager.default.enumerator(atPath: recordings)?.compactMap({ $0 as? String }) ?? []
        where file.hasSuffix("/mix.flac") {
          try FileManager.default.removeItem(atPath: "\(recordings)/\(file)")
        }
        let link = try await link(page, copy, stage)
        let stranger = try await stage.openBrowser()
        try await stranger.open(link)
        try await stranger.untilTrue(
          "document.querySelector('.player .state')?.textContent.includes('could not be opened')")
        // By now a page that begins anew would have another player.
        let isSame = try await stranger.run(
          """
          const player = jamjarShare;
          for (let turn = 0; turn < 20; turn++) await (await fetch(`${location.pathname}/take`)).text();
          return player === jamjarShare;
          """)
        #expect(isSame == true)
      }
    }

    @Test func aPasswordIsAskedForAndATakenBackLinkSaysWhatToDo() async throws {
      try await Stage.runWithTones { stage, page, copy in
        let link = try await link(page, copy, stage, password: "kitchen sink")
        let stranger = try await stage.openBrowser()
        try await stranger.open(link)
        try await stranger.untilShown("input[type=password]")
        try await stranger.submit("form", ["input[type=password]": "no no no"])
        try await stranger.untilShown(".problem")
        try await stranger.submit("form", ["input[type=password]": "kitchen sink"])
        try await stranger.untilShown(".play")
        try await page.run("document.querySelector('.links button').click();")
        try await page.untilShown(".links .empty")
        try await stranger.reload()
        try await stranger.untilShown("[data-code=unknown-share]")
        let words = try await stranger.text("main")
        #expect(words.contains("This link is not valid"), "\(words)")
      }
    }

    @Test func withoutAServerAPageSaysSoAndComesBackByItself() async throws {
      let folder = try TemporaryFolder()
      try await Stage.run([], in: folder) { stage in
        let page = try await stage.openStudio()
        try await page.run("await navigator.serviceWorker.ready;")
        try await page.untilTrue("navigator.serviceWorker.controller")
        // An update has other files: a page that asks for its own finds the server there, and the module not.
        let code = """
          const { asRefusal } = await import("/studio/base/states.js");
          return (await asRefusal(await import("/studio/v000000000000/bundle/room-door.js").catch((error) => error))).code;
          """
        #expect(try await page.run(code) == "outdated")
        await stage.service.close()
        #expect(try await page.run(code) == "unavailable")
        try await page.open("\(stage.service.address)/rooms/den")
        try await page.untilShown("#again")
        let words = try await page.text("main")
        #expect(words.contains("The server does not answer"), "\(words)")
        let again = try await Service(folder: folder, port: stage.service.port)
        try await page.untilShown("#enter")
        #expect(try await page.run("return location.pathname;") == "/rooms/den")
        await again.close()
      }
    }
  }
}
