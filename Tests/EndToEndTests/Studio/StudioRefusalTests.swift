import Signaling
import Testing

extension Doors {
  /// A refusal that passes costs a page nothing: neither events, nor a seat, nor an invitation.
  @Suite(.serialized) struct StudioRefusalTests {
    /// Refuses event streams while `refuses` is set, keeps their addresses, and shortens the pauses after refusals, but
    /// keeps those too.
    private static let streams = """
      Object.assign(window, { refuses: true, streams: [], pauses: [] });
      const Real = EventSource, later = setTimeout;
      window.EventSource = class extends Real {
        constructor(address) {
          super(window.refuses ? "/v1/nothing" : address);
          this.asked = address;
          window.streams.push(this);
        }
      };
      window.setTimeout = (work, pause, ...rest) => {
        if (pause >= 10_000) window.pauses.push(pause);
        return later(work, pause >= 10_000 ? 50 : pause, ...rest);
      };
      """

    /// The room's own files come after the door's (`Sources/Resources/studio/room/door.js`).
    @Test func aMusicianWhoseRoomDoesNotArriveIsHeardAndLoadsItAgain() async throws {
      try await Stage.run { stage in
        let page = try await stage.openPage()
        try await page.devTools("Network.enable")
        try await page.devTools("Network.setBlockedURLs", ["urls": ["*/room-room.js"]])
        try await page.open("\(stage.service.address)/rooms/den?name=Ada")
        try await page.untilTrue("document.getElementById('enter')?.disabled === false")
        try await page.run("document.getElementById('enter').click();")
        try await page.untilShown("[data-code=outdated]")
        #expect(try await page.run("return jamjar.state.phase;") == "joined")
        try await page.devTools("Network.setBlockedURLs", ["urls": []])
        try await page.run("document.querySelector('[data-code=outdated] button').click();")
        try await page.untilShown("#members-title")
        #expect(try await page.run("return jamjar.state.members.length;") == 1, "in the same seat")
        try await page.leave()
      }
    }

    @Test func aListIsRightAgainOnceItsEventsAreNoLongerRefused() async throws {
      try await Stage.run { stage in
        let (lobby, player) = (try await stage.openPage(), try await stage.openStudio())
        try await lobby.prepare(StudioRefusalTests.streams)
        try await lobby.openStudio(of: stage.service)
        try await lobby.untilTrue("window.pauses.length >= 6")
        // The attempts become rare: a refused key counts as a wrong one.
        #expect(
          try await lobby.run("return window.pauses.slice(0, 6);")
            == [10_000, 20_000, 40_000, 80_000, 160_000, 160_000])
        // What happens now is reported to nobody.
        try await player.joinWithTone("cellar", as: "Ada", frequency: 440)
        #expect(try await lobby.run("return document.querySelector('.room-row') === null;") == true)
        try await lobby.run("window.refuses = false;")
        try await lobby.untilTrue("document.querySelector('.room-row')?.innerText.includes('Ada')")

        // A stream that had events goes on after the last one.
        try await player.leave()
        try await lobby.untilTrue("document.querySelector('.room-row')?.innerText.includes('Empty')")
        try await lobby.run(
          """
          const last = window.streams.at(-1);
          window.refuses = true;
          last.close();
          last.dispatchEvent(new Event("error"));
          """)
        try await lobby.untilTrue("window.streams.at(-1).asked.includes('&lastEventId=')")
        try await player.joinWithTone("cellar", as: "Bob", frequency: 440)
        try await lobby.run("window.refuses = false;")
        try await lobby.untilTrue("document.querySelector('.room-row')?.innerText.includes('Bob')")
      }
    }

    /// Refuses as many joins as `refusals` says, as the service does whose limit is reached.
    private static let joins = """
      Object.assign(window, { refusals: Number(sessionStorage.getItem("refusals")), joins: [] });
      const send = WebSocket.prototype.send;
      WebSocket.prototype.send = function (text) {
        const { id, method } = JSON.parse(text);
        if (method === "join") {
          window.joins.push(performance.now());
          window.link = this;
          if (window.refusals > 0) {
            window.refusals -= 1;
            const error = { code: "rate-limited", message: "too many joins; try again in 2 s", retryAfter: 2 };
            queueMicrotask(() => this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify({ id, error }) })));
            return;
          }
        }
        send.call(this, text);
      };
      """

    @Test func aMusicianWhoComesBackTooOftenWaitsAndKeepsTheSeat() async throws {
      try await Stage.run { stage in
        let page = try await stage.openPage()
        try await page.prepare(StudioRefusalTests.joins)
        try await page.openStudio(of: stage.service)
        let seat = try await page.joinWithTone("den", as: "Ada", frequency: 440)
        try await page.untilJournaled(1)
        try await page.run("window.refusals = 1; window.link.close(4000);")
        try await page.until("state.phase === 'reconnecting'")
        let again = try await page.until("state.phase === 'joined'")
        #expect(again.object?["participant"] == seat.object?["participant"])
        #expect(again.object?["resume"] == seat.object?["resume"], "the same seat")
        #expect(try await page.run("return window.joins.length;") == 3)
        // Not before the time that the service named; a millisecond is lost to rounding.
        #expect(try await page.run("return window.joins[2] - window.joins[1] >= 1999;") == true)
        #expect(try await page.text("#problem-text") == "")
        try await page.untilJournaled(2)
        try await page.leave()
        let take = try await stage.service.finishedTake(in: "den")
        #expect(take.tracks.map(\.participant) == ["Ada"])
      }
    }

    @Test func aReloadedPageThatHasToWaitKeepsItsSeat() async throws {
      try await Stage.run { stage in
        let page = try await stage.openBrowser()
        try await page.prepare(StudioRefusalTests.joins)
        try await page.openStudio(of: stage.service, at: "/rooms/den?name=Ada")
        try await page.untilShown("#enter")
        try await page.run("document.getElementById('enter').click();")
        try await page.untilJournaled(1)
        let seat = try await page.run("return [jamjar.state.participant, jamjar.state.resume];")
        try await page.run("sessionStorage.setItem('refusals', '1');")
        try await page.reload()
        try await page.until("state.phase === 'joined'")
        #expect(try await page.run("return [jamjar.state.participant, jamjar.state.resume];") == seat, "the same seat")
        #expect(try await page.run("return window.joins.length;") == 2)
        #expect(try await page.run("return window.joins[1] - window.joins[0] >= 1999;") == true)
        #expect(try await page.text("#problem-text") == "")
      }
    }

    @Test func anInvitationStaysInTheAddressUntilTheServerHasIt() async throws {
      let key = "a-key-of-more-than-sixteen"
      let keys = ["JAMJAR_JOIN_SECRET": "a-secret-of-thirty-two-characters-or-more", "JAMJAR_API_KEYS": key]
      try await Stage.run([], environment: keys) { stage in
        let page = try await stage.openBrowser()
        try await page.prepare(
          """
          const real = fetch;
          window.failures = 1;
          window.fetch = (address, options) => address === "/v1/access" && window.failures-- > 0
            ? Promise.reject(new TypeError("no network")) : real(address, options);
          """)
        try await page.open("\(stage.service.address)/?x=1#key=\(key)")
        try await page.untilShown("#view [role=alert] button")
        #expect(try await page.text("#view").contains("The server cannot be reached"))
        #expect(try await page.run("return location.hash;") == .string("#key=\(key)"))
        try await page.run("document.querySelector('#view [role=alert] button').click();")
        try await page.untilTrue("document.querySelector('#view').innerText.includes('Nobody has played here yet')")
        #expect(try await page.run("return location.search + location.hash;") == "?x=1")
        try await page.expectNoComplaints()
      }
    }
  }
}
