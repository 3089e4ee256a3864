import Signaling
import Testing

extension Pages {
  /// The musicians of a room, its free seats, and names of any length.
  @Suite(.serialized) struct StudioSeatsTests {
    @Test func aFreeSeatInvitesAndGoesOnceItIsTaken() async throws {
      try await Stage.run { stage in
        let pages = try await stage.openStudios(3)
        let ada = pages[0]
        for (index, page) in pages.enumerated() {
          try await page.openStudio(of: stage.service, at: "/rooms/seats")
          try await page.joinWithTone("seats", as: "Player \(index)", frequency: 440)
          let words = ["2 free seats", "Free seat", ""][index]
          try await ada.untilTrue(
            """
            document.querySelectorAll('.member').length === \(index + 1)
              && (document.querySelector('.free-seat:not([hidden]) strong')?.innerText ?? '') === '\(words)'
            """)
          guard index == 1 else { continue }
          // Level with the strips; the invitation opens in the room.
          #expect(
            try await ada.run(
              """
              const [strip, seat] = [".member", ".free-seat"].map((name) => document.querySelector(name).getBoundingClientRect());
              document.querySelector(".free-seat button").click();
              const isOpen = document.querySelector("dialog[open] h2")?.innerText;
              document.querySelector("dialog[open]").close();
              return [Math.abs(strip.top - seat.top) < 1, Math.abs(strip.bottom - seat.bottom) < 1, isOpen, jamjar.state.phase];
              """) == [true, true, "Invite to this room", "joined"])
        }
        try await pages[2].leave()
        try await ada.untilTrue("document.querySelector('.free-seat:not([hidden]) strong')?.innerText === 'Free seat'")
        try await ada.expectNoComplaints()
      }
    }

    @Test func longNamesBreakBetweenWordsOrEndInAnEllipsisWithAllOfThemInTheTooltip() async throws {
      try await Stage.run { stage in
        let names = ["Maximiliane von und zu Hohenlohe", "Donaudampfschifffahrtsgesellschaft", "Bo"]
        let room = "the-very-long-room-of-the-philharmonic-society-of-vienna"
        let pages = try await stage.openStudios(3)
        for (page, name) in zip(pages, names) {
          try await page.openStudio(of: stage.service, at: "/rooms/\(room)")
          try await page.joinWithTone(room, as: name, frequency: 440)
        }
        let page = pages[2]
        try await page.untilTrue("document.querySelectorAll('.member').length === 3")
        for isStage in [false, true] {
          if isStage {
            try await page.press("f")
            try await page.untilTrue("document.documentElement.hasAttribute('data-stage')")
          }
          for width in [1_280, 390] {
            try await page.devTools(
              "Emulation.setDeviceMetricsOverride",
              ["width": .integer(Int64(width)), "height": 844, "deviceScaleFactor": 1, "mobile": false])
            // Every line of a name begins where a word does.
            let seen = try await page.run(
              """
              const range = document.createRange();
              const broken = [...document.querySelectorAll(".member strong")].flatMap((node) => {
                const text = node.firstChild, found = [];
                let last = null;
                for (let at = 0; at < text.length; at++) {
                  range.setStart(text, at);
                  range.setEnd(text, at + 1);
                  const { bottom, width } = range.getBoundingClientRect();
                  if (width && last !== null && bottom > last + 4 && !/[\\s-]/.test(text.data[at - 1])) found.push(text.data.slice(at));
                  if (width) last = bottom;
                }
                return found;
              });
              const names = [...document.querySelectorAll(".member strong")];
              return [broken, document.documentElement.scrollWidth <= innerWidth,
                names.every((node) => node.textContent.startsWith(node.title) && getComputedStyle(node).textOverflow === "ellipsis"),
                names.map(({ title }) => title), document.querySelector("#place-link").title];
              """)
            #expect(
              seen == [[], true, true, .array(names.map(JSONValue.string)), .string(room)],
              "\(width) px, \(isStage ? "stage" : "room")")
          }
        }
        try await page.expectNoComplaints()
      }
    }
  }
}
