import Foundation
import Glibc
import Signaling
import TestSupport
import Testing

extension Dialects {
  /// Rooms in which the pages connect with each other.
  @Suite(.serialized) struct StudioMeshTests {
    /// Every other musician is heard in this way.
    private static func heard(_ route: String) -> String {
      "document.querySelectorAll('.delay[data-route=\(route)]').length === 2"
    }

    /// The levels of the others, as `louder` says.
    private static func others(_ condition: String) -> String {
      """
      jamjar.state.members.filter((member) => member.participant.id !== jamjar.state.participant)
        .every((member) => jamjar.level(member.participant.id) \(condition))
      """
    }

    private func join(_ stage: Stage, _ room: String) async throws -> [Page] {
      let musicians = [("Ada", 440.0), ("Bob", 660), ("Cat", 550)]
      let pages = try await stage.openStudios(musicians.count)
      for (page, (name, tone)) in zip(pages, musicians) {
        try await page.joinWithTone(room, as: name, frequency: tone)
      }
      return pages
    }

    @Test func threePagesHearEachOtherWhileTheServiceStandsStillAndTheTakeIsComplete() async throws {
      try await Stage.run("--topology", "mesh") { stage in
        let pages = try await join(stage, "mesh")
        for page in pages { try await page.untilTrue(StudioMeshTests.heard("direct")) }
        let room = try await stage.service.get("/v1/rooms/mesh").object
        let routes = room?["pairs"]?.array?.map { $0.object?["route"]?.string }
        #expect(routes == ["direct", "direct", "direct"])
        try await pages[0].untilJournaled(1)

        stage.service.process.send(SIGSTOP)
        defer { stage.service.process.send(SIGCONT) }
        let start = ContinuousClock.now
        // What is heard from here on has not come through the service: silence, and sound again, of everybody.
        repeat {
          for (isOn, condition) in [(false, "< 0.01"), (true, "> 0.05")] {
            for page in pages { try await page.run("jamjar.stream.getAudioTracks()[0].enabled = \(isOn);") }
            for page in pages { try await page.untilTrue(StudioMeshTests.others(condition)) }
          }
        } while ContinuousClock.now - start < .seconds(2)
        stage.service.process.send(SIGCONT)
        let standstill = ContinuousClock.now - start

        try await pages[0].untilJournaled(4)
        for page in pages { try await page.leave() }
        let take = try await stage.service.finishedTake(in: "mesh")
        #expect(take.state == "ready")
        #expect(Set(take.tracks.map(\.participant)) == ["Ada", "Bob", "Cat"])
        for track in take.tracks {
          // Chromium sends nothing to an address that has answered nothing for five seconds: on a busy machine, the
          // standstill may last longer, and then the take says that the recorder was the cause.
          let others = track.losses.filter { standstill < .seconds(4) || $0.object?["cause"]?.string != "recorder" }
          #expect(others.isEmpty, "\(track.participant) after \(standstill): \(others.map(\.text))")
        }
      }
    }

    @Test func theOwnerChoosesInTheRoomAndEverybodyGoesOnHearing() async throws {
      try await Stage.run { stage in
        let pages = try await join(stage, "choice")
        for page in pages { try await page.untilTrue(StudioMeshTests.heard("routed")) }
        for (topology, route) in [("mesh", "direct"), ("routed", "routed")] {
          try await pages[0].run(
            """
            const choice = document.querySelector(".topology");
            choice.value = arguments_[0];
            choice.dispatchEvent(new Event("change"));
            """, .string(topology))
          for page in pages {
            try await page.untilTrue(StudioMeshTests.heard(route))
            try await page.untilTrue(StudioMeshTests.others("> 0.05"))
            try await page.untilTrue("document.querySelector('.topology').value === '\(topology)'")
          }
        }
      }
    }

    @Test func nobodyHearsAMutedMusicianWhoseClientGoesOnSending() async throws {
      try await Stage.run("--topology", "mesh") { stage in
        let pages = try await join(stage, "moderated")
        for page in pages { try await page.untilTrue(StudioMeshTests.heard("direct")) }
        let bob = try #require(try await pages[1].until("true").object?["participant"]?.string)
        let level = "jamjar.level('\(bob)')"
        try await pages[0].untilTrue("\(level) > 0.05")
        // A client that knows no moderator's mute, as those of XirSys.
        try await pages[1].run("jamjar.studio.own.silence = () => {};")
        for (muted, condition) in [("true", "< 0.01"), ("false", "> 0.05")] {
          try await pages[2].run("await jamjar.request('mute', { participant: '\(bob)', muted: \(muted) });")
          for page in [pages[0], pages[2]] { try await page.untilTrue("\(level) \(condition)") }
        }
      }
    }

    @Test func aPageThatIsLoadedAgainIsHeardDirectlyAgain() async throws {
      try await Stage.run("--topology", "mesh") { stage in
        let pages = try await join(stage, "again")
        for page in pages { try await page.untilTrue(StudioMeshTests.heard("direct")) }
        try await pages[1].leave()
        try await pages[1].joinWithTone("again", as: "Bob", frequency: 660)
        for page in pages {
          try await page.untilTrue(StudioMeshTests.heard("direct"))
          try await page.untilTrue(StudioMeshTests.others("> 0.05"))
        }
      }
    }
  }
}
