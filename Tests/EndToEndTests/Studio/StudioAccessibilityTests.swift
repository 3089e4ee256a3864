import Foundation
import Signaling
import Testing

extension Programs {
  /// Names, roles, contrast and keyboard of every view, by axe-core, in both themes and at a phone's width.
  @Suite(.serialized) struct StudioAccessibilityTests {
    /// axe-core as PyPI's axe-playwright-python brings it (script/bootstrap --test).
    private static func axe() throws -> String {
      let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(".venv/lib")
      for version in try FileManager.default.contentsOfDirectory(atPath: root.path) {
        let file = root.appendingPathComponent("\(version)/site-packages/axe_playwright_python/axe.min.js")
        if let text = try? String(contentsOf: file, encoding: .utf8) { return text }
      }
      throw EndToEndFailure("axe.min.js is missing; script/bootstrap --test installs it")
    }

    /// Rules that a theme decides; all others speak of what is the same in both.
    private static let colours: JSONValue = ["type": "rule", "values": ["color-contrast", "link-in-text-block"]]
    private static let all: JSONValue = [
      "type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    ]

    /// What axe objects to on the page as it stands, a line each.
    private func objections(_ page: Page, to rules: JSONValue) async throws -> [String] {
      // Half a megabyte, once for a document.
      if try await page.run("return Boolean(window.axe);") == false {
        try await page.run(try StudioAccessibilityTests.axe() + ";window.axe = axe;")
      }
      let found = try await page.run(
        """
        const painted = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        await painted();
        const { violations } = await axe.run(document, { runOnly: arguments_[0] });
        return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`));
        """, rules)
      return found.array?.compactMap(\.string) ?? ["axe did not run"]
    }

    private func wear(_ theme: String, _ page: Page) async throws {
      let feature: JSONValue = ["name": "prefers-color-scheme", "value": .string(theme)]
      try await page.devTools("Emulation.setEmulatedMedia", ["features": .array([feature])])
    }

    /// Looks at a view in both themes and on a phone.
    private func check(_ view: String, on page: Page) async throws {
      func look(_ kind: String, _ rules: JSONValue) async throws {
        let found = try await objections(page, to: rules)
        #expect(found == [], "\(view), \(kind): \(found)")
        let width = try await page.run("return document.documentElement.scrollWidth - innerWidth;").double
        #expect((width ?? 1) <= 0, "\(view), \(kind), is wider than the screen")
      }
      try await wear("light", page)
      try await look("light", StudioAccessibilityTests.all)
      try await wear("dark", page)
      try await look("dark", StudioAccessibilityTests.colours)
      try await wear("light", page)
      try await page.devTools(
        "Emulation.setDeviceMetricsOverride", ["width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true])
      try await page.devTools("Emulation.setTouchEmulationEnabled", ["enabled": true])
      try await look("phone", StudioAccessibilityTests.all)
      try await page.devTools("Emulation.setTouchEmulationEnabled", ["enabled": false])
      try await page.devTools("Emulation.clearDeviceMetricsOverride")
    }

    /// One evening, and every view of it looked at three times.
    @Test func everyViewCanBeReadAndUsed() async throws {
      try await Stage.run { stage in
        let page = try await stage.openBrowser(BrowserSettings(size: (1_280, 900)))
        func check(_ view: String) async throws { try await self.check(view, on: page) }
        try await page.openStudio(of: stage.service, at: "/")
        try await check("an empty lobby")
        try await page.openStudio(of: stage.service, at: "/rooms/den?name=Ada&part=piano")
        try await page.untilShown("#warnings li")
        try await check("the green room")
        try await page.run("document.getElementById('enter').click();")
        try await page.until("state.phase === 'joined' && state.take")
        try await page.run(
          "await jamjar.request('message', { text: 'hello' }); await jamjar.request('cue', { text: 'bridge' });")
        try await page.untilShown(".light[data-state=safe]")
        try await page.untilShown("#cues li")
        try await check("the room")
        try await page.press("?")
        try await page.untilShown("dialog[open]")
        try await check("the keys")
        try await page.run("document.querySelector('dialog[open]').close();")
        try await page.untilJournaled(2)
        try await page.leave()
        let take = try await stage.service.finishedTake(in: "den")
        for path in ["/", "/takes", "/takes/\(take.id)"] {
          try await page.openStudio(of: stage.service, at: path)
          try await page.untilTrue(
            "document.querySelector('main').innerText.includes('Take 1') || document.querySelector('main canvas')")
          try await check(path)
        }
        try await page.openStudio(of: stage.service, at: "/doctor")
        try await page.untilShown(".finding")
        try await check("the doctor")
        // Pages outside of the studio: what a link opens, an unknown address, no server.
        let made = try await page.run(
          """
          const answer = await fetch(arguments_[0], { method: "POST", headers: { "content-type": "application/json" },
            body: JSON.stringify({ contents: "both" }) });
          return (await answer.json()).path;
          """, .string("/v1/takes/\(take.id)/shares"))
        let link = try #require(made.string)
        try await page.expectNoComplaints()
        for path in [link, "\(link)/embed", "/s/none", "/nothing", "/studio/base/offline.html"] {
          try await page.open("\(stage.service.address)\(path)")
          try await page.untilShown(path.hasPrefix(link) ? ".play" : "main h1")
          try await check(path)
        }
        // Refusals are in the console of those pages by themselves.
        _ = try await page.complaints()
        try await page.expectNoComplaints()
      }
    }
  }
}
