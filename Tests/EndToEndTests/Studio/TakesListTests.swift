import Foundation
import Signaling
import Testing

extension Pages {
  /// The list of takes: found, heard, compared, deleted, restored.
  @Suite(.serialized) struct TakesListTests {
    @Test func theListFindsPlaysComparesDeletesAndRestores() async throws {
      try await Stage.runWithTones { stage, page, copy in
        try await page.open("\(stage.service.address)/takes?sort=oldest")
        let found = try await page.takes(
          """
          const [first, second] = given;
          const rows = () => [...document.querySelectorAll(".take-row")].map((row) => row.dataset.take);
          const row = (id) => document.querySelector(`.take-row[data-take="${id}"]`);
          await takes.until(() => rows().length === 2);
          const oldest = rows();
          // Outlines are fetched for what is in sight.
          row(second).scrollIntoView();
          await takes.until(() => row(second).querySelector('.outline[data-state="ready"]'));
          row(second).querySelector(".play").click();
          await takes.until(() => row(second).querySelector(".play").dataset.state === "playing");
          row(first).querySelector(".play").click();
          await takes.until(() => row(first).querySelector(".play").dataset.state === "playing");
          const isOne = row(second).querySelector(".play").dataset.state;
          row(first).querySelector(".play").click();

          row(second).querySelector("input").click();
          await takes.press("Delete");
          await takes.until(() => rows().length === 1);
          await takes.press("Undo");
          await takes.until(() => rows().length === 2);

          const search = document.querySelector("input[type=search]");
          search.value = "nothing of that name";
          search.dispatchEvent(new Event("input"));
          await takes.until(() => rows().length === 0);
          const address = location.search, sentence = document.querySelector(".empty-state").textContent;
          search.value = "";
          search.dispatchEvent(new Event("input"));
          await takes.until(() => rows().length === 2);
          for (const id of [first, second]) row(id).querySelector("input").click();
          await takes.press("Compare A/B");
          await takes.until(() => window.jamjarPlayer?.b);
          return [oldest, isOne, address, sentence, location.pathname + location.search];
          """, .string(copy.first), .string(copy.second))
        let values = try #require(found.array)
        #expect(values[0] == .array([.string(copy.first), .string(copy.second)]))
        #expect(values[1] == "stopped", "one plays at a time")
        let address = values[2].string ?? ""
        #expect(address.contains("q=nothing+of+that+name") && address.contains("sort=oldest"), "\(address)")
        #expect(values[3].string?.contains("No take fits") == true)
        #expect(values[4].string == "/takes/\(copy.first)?with=\(copy.second)")
      }
    }

    /// What Python's own reader says of an archive.
    private func zipfile(_ option: String, _ path: String) async throws -> String {
      let child = try ChildProcess("python3", ["-m", "zipfile", option, path])
      _ = await child.exitStatus()
      return await child.wholeText()
    }

    @Test func anEveningIsHeardOneTakeAfterTheOtherAndTakenHomeAsAWhole() async throws {
      try await Stage.runWithTones { stage, page, copy in
        try await page.open("\(stage.service.address)/takes/\(copy.first)")
        let seen = try await page.takes(
          """
          const [first, second] = given;
          const row = (id) => document.querySelector(`.take-row[data-take="${id}"]`);
          const state = (id) => row(id).querySelector(".play").dataset.state;
          // From the take's page to the evening that it was played in.
          await takes.until(() => document.querySelectorAll(".crumbs a").length === 3);
          const name = document.querySelectorAll(".crumbs a")[2];
          const words = name.textContent;
          name.click();
          await takes.until(() => document.querySelector(".evening:not([hidden])"));
          const title = document.querySelector("h1").textContent, facts = document.querySelector(".evening-facts").textContent;
          const order = [...document.querySelectorAll(".take-row")].map((one) => one.dataset.take).join() === given.join();
          await takes.press("Play all");
          await takes.until(() => state(first) === "playing");
          // Near its end, and then on by itself.
          const outline = row(first).querySelector(".small-outline"), { left, top, width } = outline.getBoundingClientRect();
          outline.dispatchEvent(new MouseEvent("click", { clientX: left + 0.96 * width, clientY: top + 4, bubbles: true }));
          await takes.until(() => state(second) === "playing");
          const isOne = state(first);
          await takes.press("Pause");
          await takes.until(() => state(second) === "stopped");
          const archive = document.querySelector(".evening a[download]").getAttribute("href");
          return [words, title, facts, order, isOne, archive];
          """, .string(copy.first), .string(copy.second))
        let values = try #require(seen.array)
        let (name, title, facts) = (values[0].string ?? "", values[1].string ?? "", values[2].string ?? "")
        #expect(title == "\(name) in \(TonesFolder.room)" && facts.hasPrefix("2 takes · 0:"), "\(title): \(facts)")
        #expect(values[3] == true && values[4] == "stopped")
        let answer = try await HTTP.send("GET", stage.service.address + (values[5].string ?? ""))
        #expect(answer.status == 200)
        let file = stage.service.path("evening.zip")
        try Data(answer.body).write(to: URL(fileURLWithPath: file))
        let listed = try await zipfile("-l", file)
        for take in ["01 tones - \(TonesFolder.song) ", "02 tones - \(TonesFolder.song) "] {
          let names = listed.split(separator: "\n").filter { $0.hasPrefix(take) }
          #expect(names.count { $0.contains(".flac") } == 4, "\(listed)")
          #expect(names.contains { $0.contains("/manifest.json") }, "\(listed)")
        }
        let tested = try await zipfile("-t", file)
        #expect(tested.contains("Done testing") && !tested.contains("corrupted"), "\(tested)")
        try await page.expectNoComplaints()
      }
    }
  }
}
