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
  }
}
