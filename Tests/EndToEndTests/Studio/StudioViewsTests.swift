import Foundation
import Signaling
import Testing

extension Programs {
  /// Every view of the studio in both themes and two widths (docs/decisions/0046-typed-views.md). `script/studio-views`
  /// runs this alone, renews the references in `Views`, and writes pictures for eyes.
  @Suite(.serialized) struct StudioViewsTests {
    private typealias Looks = [String: [String]]

    /// Share of cells in which a view may differ from its reference. Two runs differ by less than a hundredth; another
    /// colour of the main buttons alone makes up two to seven in a hundred.
    private static let limit = 0.04
    private static let widths = [1_280, 390]
    /// CSS pixels from the top that a picture shows, unless a view fills its screen.
    private static let height = 1_800
    private static let references = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Views")

    @Test func nothingIsCutOrCoveredAndEveryViewLooksAsItDid() async throws {
      let environment = ProcessInfo.processInfo.environment
      let isUpdate = environment["JAMJAR_VIEWS"] == "update"
      let copy = try await TonesFolder.copy()
      try await Stage.run([], in: copy.folder) { stage in
        let page = try await stage.openBrowser(
          BrowserSettings(size: (1_280, 900), arguments: ["--hide-scrollbars"]))
        let given: JSONValue = ["take": .string(copy.first), "other": .string(copy.second)]
        try await page.openStudio(of: stage.service)
        let names = try await page.views("return Object.keys(kit.views);").array?.compactMap(\.string) ?? []
        #expect(names.count >= 20)
        for name in names {
          let address = try await page.views(
            "return await kit.views[given[0]].path?.(given[1]) ?? null;", .string(name), given)
          if let path = address.string { try await page.open("\(stage.service.address)\(path)") }
          let height = try await page.views(
            """
            window.kit = kit;
            document.adoptedStyleSheets = [kit.rest];
            const view = kit.views[given[0]];
            await view.go?.();
            const isThere = () => { try { return view.until(); } catch { return false; } };
            while (!isThere()) await new Promise((resolve) => requestAnimationFrame(resolve));
            return view.height ?? null;
            """, .string(name))
          let seen = try await looks(
            of: page, view: name, height: height.integer.map(Int.init) ?? StudioViewsTests.height,
            picturesIn: environment["JAMJAR_VIEWS_PICTURES"])
          let file = StudioViewsTests.references.appendingPathComponent("\(name).txt")
          if isUpdate {
            try write(seen, to: file)
          } else {
            try await compare(seen, with: try reference(file), view: name, page: page)
          }
          try await page.devTools("Emulation.clearDeviceMetricsOverride")
        }
      }
    }

    /// Checks the layout of the present view at every width, and answers what it looks like there in both themes.
    private func looks(of page: Page, view: String, height: Int, picturesIn folder: String?) async throws -> Looks {
      var seen: Looks = [:]
      for width in StudioViewsTests.widths {
        let (wide, tall) = (JSONValue.integer(Int64(width)), JSONValue.integer(Int64(height)))
        try await page.devTools(
          "Emulation.setDeviceMetricsOverride",
          ["width": wide, "height": tall, "deviceScaleFactor": 1, "mobile": false])
        for theme in ["light", "dark"] {
          let feature: JSONValue = ["name": "prefers-color-scheme", "value": .string(theme)]
          try await page.devTools("Emulation.setEmulatedMedia", ["features": .array([feature])])
          let found = try await page.run("await kit.painted(); await kit.painted(); return kit.faults();")
          let faults = found.array?.compactMap(\.string) ?? ["the layout could not be read"]
          #expect(faults == [], "\(view), \(width) px, \(theme)")
          if let folder { try await page.screenshot(to: "\(folder)/\(view)-\(width)-\(theme).png") }
          try await page.run("document.adoptedStyleSheets = [kit.rest, kit.masks]; await kit.painted();")
          let clip: JSONValue = ["x": 0, "y": 0, "width": wide, "height": tall, "scale": .number(0.125)]
          let picture = try await page.devTools("Page.captureScreenshot", ["format": "png", "clip": clip])
          let rows = try await page.run(
            "document.adoptedStyleSheets = [kit.rest]; return await kit.cells(arguments_[0]);",
            picture.object?["data"] ?? .null)
          seen["\(width) \(theme)"] = rows.array?.compactMap(\.string) ?? []
        }
      }
      return seen
    }

    private func compare(_ seen: Looks, with reference: Looks, view: String, page: Page) async throws {
      for (kind, rows) in seen.sorted(by: { $0.key < $1.key }) {
        let theirs = reference[kind] ?? []
        let answer = try await page.run(
          "return kit.difference(arguments_[0], arguments_[1]);", .array(rows.map(JSONValue.string)),
          .array(theirs.map(JSONValue.string)))
        let share = answer.double ?? 1
        #expect(share <= StudioViewsTests.limit, "\(view), \(kind): look at it, then script/studio-views --update")
      }
    }

    /// A title and rows for each width and theme; empty rows at the end are left out.
    private func write(_ seen: Looks, to file: URL) throws {
      var lines: [String] = []
      for (kind, rows) in seen.sorted(by: { $0.key < $1.key }) {
        var kept = rows
        while kept.count > 1, kept[kept.count - 1] == kept[kept.count - 2] { kept.removeLast() }
        lines.append("# \(kind)")
        lines += kept
      }
      let text = lines.joined(separator: "\n") + "\n"
      try text.write(to: file, atomically: true, encoding: .utf8)
    }

    private func reference(_ file: URL) throws -> Looks {
      guard let text = try? String(contentsOf: file, encoding: .utf8) else {
        throw EndToEndFailure("\(file.lastPathComponent) is missing; script/studio-views --update writes it")
      }
      var found: Looks = [:]
      var kind = ""
      for line in text.split(separator: "\n") {
        if line.hasPrefix("# ") {
          kind = String(line.dropFirst(2))
        } else {
          found[kind, default: []].append(String(line))
        }
      }
      return found
    }
  }
}

extension Page {
  /// Runs the body of an async function with Pages/views.js as `kit`.
  @discardableResult
  fileprivate func views(_ body: String, _ arguments: JSONValue...) async throws -> JSONValue {
    let helpers = try PageScript.text("views.js")
    return try await run("const kit = (() => { \(helpers) })(), given = arguments_[0]; \(body)", .array(arguments))
  }
}
