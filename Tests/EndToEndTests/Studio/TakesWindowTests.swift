import Signaling
import Testing

extension Programs {
  /// A list of a thousand takes, of which the page holds what is near the view.
  @Suite(.serialized) struct TakesWindowTests {
    /// Everything that the tests ask the list for.
    private static let kit = """
      const rows = () => [...document.querySelectorAll(".take-row")];
      const row = (id) => document.querySelector(`.take-row[data-take="${id}"]`);
      const place = (one) => Number(one.getAttribute("aria-posinset"));
      const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      const inSight = () => rows().filter((one) => {
        const { top, bottom } = one.getBoundingClientRect();
        return bottom > 0 && top < innerHeight;
      });
      /** To the end of what is loaded, until nothing is left to load. */
      const toTheEnd = async () => {
        await takes.until(() => {
          scrollTo(0, document.documentElement.scrollHeight);
          return rows().at(-1)?.getAttribute("aria-setsize") === "1001" && document.querySelector(".more").hidden;
        });
        await frame();
        scrollTo(0, document.documentElement.scrollHeight);
        await frame();
      };
      const lists = () => performance.getEntriesByType("resource").filter(({ name }) => name.includes("/v1/takes?")).length;
      const all = () => performance.getEntriesByType("resource").filter(({ name }) => name.includes("/v1/")).length;
      performance.setResourceTimingBufferSize(5000);
      """

    @Test func ofAThousandTakesOnlyThoseNearTheViewStandInThePage() async throws {
      let copy = try await TonesFolder.copy()
      try copy.multiply(by: 999)
      try await Stage.run([], in: copy.folder) { stage in
        let page = try await stage.openPage()
        try await page.open("\(stage.service.address)/takes")
        let seen = try await page.takes(
          TakesWindowTests.kit + """
            await takes.until(() => rows().length > 0 && row(rows()[0].dataset.take).querySelector('.outline[data-state="ready"]'));
            const first = [place(rows()[0]), rows()[0].getAttribute("aria-setsize")];
            await toTheEnd();
            const last = [place(rows().at(-1)), rows().length, lists(), inSight().length > 0];
            // Outlines are fetched where the view rests, not for what flies past.
            await takes.until(() => inSight().at(-1).querySelector('.outline[data-state="ready"]'));
            const asked = all(), status = document.querySelector(".list-page [role=status]").textContent;
            // Into the middle, with one jump.
            scrollTo(0, document.documentElement.scrollHeight / 2);
            await frame();
            const middle = inSight().map(place), isWithoutHoles = middle.every((at, n) => n === 0 || at === middle[n - 1] + 1);
            const box = document.querySelector(".take-rows").getBoundingClientRect();
            const isFull = inSight()[0].getBoundingClientRect().top <= Math.max(0, box.top)
              && inSight().at(-1).getBoundingClientRect().bottom >= innerHeight;
            return [first, last, asked, status, middle[0] > 300 && middle[0] < 700, isWithoutHoles, isFull];
            """)
        let values = try #require(seen.array)
        // How many there are is not known before the last page.
        #expect(values[0] == [1, "-1"])
        let last = values[1].array ?? []
        #expect(last.first == 1_001 && last.last == true)
        #expect((last[1].integer ?? 1_001) < 80, "\(last) rows stand in the page")
        // 30, and then 200 at a time.
        #expect(last[2] == 6)
        #expect((values[2].integer ?? 1_001) < 80, "\(values[2]) requests")
        #expect(values[3] == "1001 takes")
        #expect(values[4] == true && values[5] == true && values[6] == true, "\(values)")
        try await page.expectNoComplaints()
      }
    }

    @Test func oneComesBackToTheSamePlaceByKeyboardAndFindsWhatWasChosen() async throws {
      let copy = try await TonesFolder.copy()
      try copy.multiply(by: 999)
      try await Stage.run([], in: copy.folder) { stage in
        let page = try await stage.openPage()
        try await page.open("\(stage.service.address)/takes")
        // By the keyboard from row to row: the next one is always there.
        try await page.takes(
          TakesWindowTests.kit + """
            await takes.until(() => rows().length > 1);
            rows()[0].querySelector("input").click();
            await toTheEnd();
            scrollTo(0, document.documentElement.scrollHeight / 2);
            await frame();
            inSight().at(-1).querySelector("a").focus();
            window.was = place(document.activeElement.closest(".take-row"));
            """)
        for _ in 0..<12 { try await page.press("\u{E004}") }
        let walked = try await page.takes(
          TakesWindowTests.kit + """
            const here = () => document.activeElement.closest(".take-row");
            const on = place(here()) - was;
            // The view goes elsewhere; what has the focus stays in the page, and so does its neighbour.
            const id = here().dataset.take;
            scrollTo(0, 0);
            await frame();
            await frame();
            const isKept = here()?.dataset.take === id && row(id).nextElementSibling !== null;
            const chosen = document.querySelector(".bulk strong").textContent;
            const isMarked = rows()[0].querySelector("input").checked;
            row(id).scrollIntoView({ block: "center" });
            await frame();
            row(id).querySelector("a").focus();
            return [on, isKept, chosen, isMarked, id, row(id).getBoundingClientRect().top];
            """)
        let values = try #require(walked.array)
        #expect((values[0].integer ?? 0) >= 2, "\(values)")
        #expect(values[1] == true && values[2] == "1 chosen" && values[3] == true, "\(values)")
        let id = try #require(values[4].string)
        let top = try #require(values[5].double)
        // Into the take and back.
        let isBack =
          "document.activeElement.closest('.take-row')?.dataset.take === '\(id)' && location.pathname === '/takes'"
        try await page.press("\u{E007}")
        try await page.untilTrue(
          "location.pathname === '/takes/\(id)' && document.querySelector('.take-page') !== null")
        try await page.run("history.back();")
        try await page.untilTrue(isBack)
        let measured = """
          await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
          return document.activeElement.closest(".take-row").getBoundingClientRect().top;
          """
        let back = try await page.run(measured).double ?? 0
        #expect(abs(back - top) < 4, "\(back), before \(top)")
        #expect(try await page.run("return document.querySelectorAll('.take-row').length < 80;") == true)
        // Also of a page that is loaded anew.
        try await page.reload()
        try await page.untilTrue(isBack)
        let again = try await page.run(measured).double ?? 0
        #expect(abs(again - top) < 4, "\(again), before \(top)")
        // What is searched for is found wherever it was.
        let named = try await HTTP.send(
          "PATCH", "\(stage.service.address)/v1/takes/\(id)", json: ["title": "the needle"])
        #expect(named.status == 200)
        let found = try await page.takes(
          TakesWindowTests.kit + """
            await takes.until(() => row(given[0])?.textContent.includes("the needle"));
            const search = document.querySelector("input[type=search]");
            search.value = "needle";
            search.dispatchEvent(new Event("input"));
            await takes.until(() => rows().length === 1);
            const one = [rows()[0].dataset.take, rows()[0].getAttribute("aria-setsize"), inSight().length];
            search.value = "";
            search.dispatchEvent(new Event("input"));
            await takes.until(() => rows().length > 1);
            return [...one, place(rows()[0])];
            """, .string(id))
        #expect(found == .array([.string(id), "1", 1, 1]))
        try await page.expectNoComplaints()
      }
    }

    @Test func ofHundredsOfCuesTheOneThatIsRenamedIsThere() async throws {
      let copy = try await TonesFolder.copy()
      try copy.addCues(300)
      try await Stage.run([], in: copy.folder) { stage in
        let page = try await stage.openPage()
        try await page.openTake(copy.first, of: stage.service)
        let seen = try await page.takes(
          """
          const rows = () => [...document.querySelectorAll(".cue-list li")];
          await takes.until(() => rows().length > 0 && rows()[0].getAttribute("aria-setsize") === "300");
          const many = rows().length;
          // A flag at the other end of the list.
          const flag = [...document.querySelectorAll(".flag")].find((one) => one.textContent === "cue 299");
          flag.dispatchEvent(new KeyboardEvent("keydown", { key: "F2", bubbles: true, cancelable: true }));
          const field = document.activeElement, { top, bottom } = field.getBoundingClientRect();
          const isHere = [field.value, field.closest("li").getAttribute("aria-posinset"), top > 0 && bottom < innerHeight];
          takes.write(field, "the end");
          await takes.until(() => [...document.querySelectorAll(".flag")].some((one) => one.textContent === "the end"));
          await takes.until(() => rows().at(-1).querySelector("input").value === "the end");
          return [many < 120, ...isHere, rows().length < 120];
          """)
        #expect(seen == [true, "cue 299", "300", true, true])
        try await page.expectNoComplaints()
      }
    }
  }
}
