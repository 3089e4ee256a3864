import Foundation
import Signaling
import Testing

extension Pages {
  /// A take whose files change while its page is open.
  @Suite(.serialized) struct TakesRenewalTests {
    /// Keeps the page's event streams, for events that a service tells when it likes.
    private static let streams = """
      window.streams = [];
      const Real = EventSource;
      window.EventSource = class extends Real {
        constructor(address) {
          super(address);
          window.streams.push(this);
        }
      };
      """

    /// The page's first look at a take finds it in the making, and says so.
    private static let early = """
      const fetched = window.fetch;
      window.fetch = async (address, options) => {
        const response = await fetched(address, options);
        if (window.looked || !/\\/v1\\/takes\\/\\w+$/.test(address)) return response;
        window.looked = true;
        const take = { ...(await response.json()), state: "rendering", duration: null };
        return new Response(JSON.stringify(take), { headers: response.headers });
      };
      """

    /// No event tells the page what happened between its first look and the opening of its stream.
    @Test func aTakeThatWasReadyBeforeThePageListenedIsShown() async throws {
      try await Stage.runWithTones { stage, page, copy in
        try await page.prepare(TakesRenewalTests.early)
        try await page.openTake(copy.first, of: stage.service)
        #expect(try await page.run("return [window.looked, jamjarPlayer.a.tracks.length];") == [true, 3])
        #expect(try await page.text(".take-body").contains("being rendered") == false)
      }
    }

    /// The openings of the page's stream and its looks at the list, in their order.
    private static let order = """
      window.order = [];
      const Real = EventSource, fetched = window.fetch;
      window.EventSource = class extends Real {
        constructor(address) {
          super(address);
          this.addEventListener("open", () => window.order.push("open"));
        }
      };
      window.fetch = (address, options) => {
        if (String(address).startsWith("/v1/takes?")) window.order.push("look");
        return fetched(address, options);
      };
      """

    /// The stream tells of a take that comes between the two.
    @Test func theListIsLookedAtOnceItsStreamIsOpen() async throws {
      try await Stage.runWithTones { stage, page, copy in
        try await page.prepare(TakesRenewalTests.order)
        try await page.open("\(stage.service.address)/takes")
        let rows = try await page.takes(
          """
          const rows = () => [...document.querySelectorAll(".take-row")].map((row) => row.dataset.take);
          await takes.until(() => rows().length === 2 && window.order.join(" ").endsWith("open look"));
          return rows();
          """)
        #expect(rows == [.string(copy.second), .string(copy.first)])
      }
    }

    /// They are then, as far as the page can tell, the other take's.
    @Test func filesThatAreMadeAgainAreHeardOnceNobodyListensToTheOldOnes() async throws {
      try await Stage.runWithTones { stage, page, copy in
        try await page.prepare(TakesRenewalTests.streams)
        try await page.openTake(copy.first, of: stage.service)
        let result = try await page.takes(
          """
          const [take, other, base] = given, { tracks } = jamjarPlayer.a;
          const { items } = await (await fetch(`/v1/takes/${other}/tracks`)).json();
          const others = tracks.map(({ participant }) =>
            items.find((item) => item.participant.name === participant.name).id);
          const before = await Promise.all(tracks.map(({ id }) => takes.sound(take, id)));
          const after = await Promise.all(others.map((id) => takes.sound(other, id)));
          const gains = tracks.map(() => [base, base]);
          const fetched = window.fetch;
          let isRenewed = false, anew = 0, coming = 0;
          window.fetch = async (address, options) => {
            const number = tracks.findIndex(({ id }) => String(address).includes(`/tracks/${id}/audio`));
            if (number < 0) return fetched(address, options);
            if (isRenewed) anew++;
            coming++;
            const there = isRenewed ? address.replace(take, other).replace(tracks[number].id, others[number]) : address;
            try { return await fetched(there, options); } finally { coming--; }
          };
          jamjarPlayer.seek(2);
          await jamjarDeck.play();
          await takes.state("playing");
          while (coming) await new Promise((resolve) => setTimeout(resolve, 20));
          isRenewed = true;
          const event = new MessageEvent("take.refined", { data: JSON.stringify({ take: { id: take } }) });
          for (const stream of streams) stream.dispatchEvent(event);
          await takes.until(() => document.body.innerText.includes("This take was made more exact."));
          const playing = await jamjarDeck.record(12_000), whilePlaying = anew;
          jamjarDeck.pause();
          await takes.state("stopped");
          jamjarPlayer.seek(2);
          const again = await takes.listen(12_000);
          return [takes.error(playing, before, gains), whilePlaying, takes.error(again, after, gains),
            takes.error(again, before, gains)];
          """, .string(copy.first), .string(copy.second), .number(TakesDeckTests.base))
        let values = (result.array ?? []).compactMap(\.double)
        try #require(values.count == 4)
        #expect(values[0] < TakesDeckTests.exactly && values[1] == 0, "what is heard goes on: \(values)")
        #expect(values[2] < TakesDeckTests.exactly, "then it is the new files: \(values)")
        #expect(values[3] > 0.01, "which differ: \(values)")
      }
    }
  }
}
