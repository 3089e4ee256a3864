import NIOHTTP1
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct StudioSiteTests {
  /// Otherwise a file has a form of `import` or `export` that the bundle does not know; see `StudioBundle`.
  @Test func theStudiosModulesCanBeBundled() throws {
    let sources = EmbeddedFile.all.filter { $0.key.hasPrefix("studio/") && $0.key.hasSuffix(".js") }
    let texts = Dictionary(
      uniqueKeysWithValues: sources.map {
        (String($0.key.dropFirst("studio/".count)), String(decoding: $0.value.bytes, as: UTF8.self))
      })
    let bundle = try StudioBundle(texts, main: "base/main.js")
    #expect(bundle.views.count >= 6 && bundle.files["main.js"] != nil)
    var modules: [Substring] = []
    for text in bundle.files.values {
      let lines = text.split(separator: "\n")
      let known = bundle.files.keys.map { " from \"./\($0)\";" }
      #expect(lines.allSatisfy { line in !line.hasPrefix("import ") || known.contains { line.hasSuffix($0) } })
      #expect(lines.count { $0.hasPrefix("export ") } == 1)
      modules += lines.filter { $0.hasPrefix("const $") && $0.hasSuffix(" = (() => {") }
    }
    #expect(Set(modules).count == modules.count, "a module is in two bundles, and keeps its state twice")
    #expect(StudioSite.current.isBundled)
  }

  /// A musician on a telephone's line waits for these before *Join* can be pressed (`script/bench studio`).
  @Test func theDoorIsSmall() throws {
    let site = StudioSite.current
    let page = String(decoding: site.page(for: "room/door.js").bytes, as: UTF8.self)
    let names = page.split(separator: "\"").filter { $0.hasPrefix("/studio/\(site.version)/bundle/") }.map {
      String($0.split(separator: "/").suffix(2).joined(separator: "/"))
    }
    #expect(names.contains("bundle/room-door.js") && !names.contains("bundle/room-room.js"), "\(names)")
    let sizes = try names.map { name in
      let file = try #require(site.file(name, of: site.version))
      return try #require(Gzip.compress(file.bytes)).count
    }
    #expect(sizes.reduce(0, +) < 64_000, "\(zip(names, sizes).map { "\($0): \($1)" })")
  }

  @Test func whatSeveralViewsShareIsThereOnceForThemAlone() throws {
    let much = String(repeating: "much();\n", count: 600)
    let bundle = try StudioBundle(
      [
        "base/main.js": """
        const a = () => import("../x/a.js");
        const b = () => import("../x/b.js");
        const c = () => import("../x/c.js");
        """,
        "x/a.js": """
        import { large } from "./large.js";
        import { little } from "./little.js";
        export const a = () => import("./later.js");
        """,
        "x/b.js": "import { large } from \"./large.js\";\nexport const b = 1;",
        "x/c.js": "import { little } from \"./little.js\";\nexport const c = 1;",
        "x/later.js": "import { large } from \"./large.js\";\nexport const later = large;",
        "x/large.js": "export const large = 1;\n" + much, "x/little.js": "export const little = 1;",
      ], main: "base/main.js")
    #expect(bundle.files.keys.sorted() == ["main.js", "shared-1.js", "x-a.js", "x-b.js", "x-c.js", "x-later.js"])
    #expect(bundle.files["shared-1.js"]?.contains("const large = 1;") == true)
    #expect(bundle.files["main.js"]?.contains("const little = 1;") == true, "too little for a file of its own")
    #expect(bundle.views["x/a.js"]?.needed == ["x-a.js", "shared-1.js"])
    #expect(bundle.views["x/c.js"]?.needed == ["x-c.js"])
    #expect(bundle.files["x-a.js"]?.contains("import(\"./x-later.js\").then((all) => all.$") == true)
  }

  @Test func whatCannotBeBundledIsSaid() {
    #expect(throws: StudioBundle.Unfit.self) {
      try StudioBundle(
        ["a.js": "import { b } from \"./b.js\";", "b.js": "import { a } from \"./a.js\";"], main: "a.js")
    }
    #expect(throws: StudioBundle.Unfit.self) { try StudioBundle(["a.js": "import b from \"./b.js\";"], main: "a.js") }
    #expect(throws: StudioBundle.Unfit.self) { try StudioBundle(["a.js": "export default 3;"], main: "a.js") }
    #expect(throws: StudioBundle.Unfit.self) {
      try StudioBundle(["a.js": "import { b } from \"./nothing.js\";"], main: "a.js")
    }
  }

  @Test func modulesKeepTheirOrderAndTheirAddresses() throws {
    let bundle = try StudioBundle(
      [
        "base/main.js": "import { one } from \"./one.js\";\nconst show = () => import(\"../x/view.js\");",
        "base/one.js": "/** Says so. */\nexport const one = new URL(\"w.js\", import.meta.url);",
        "x/view.js": "import { one as first } from \"../base/one.js\";\nexport async function* open() { yield first; }",
      ], main: "base/main.js")
    let main = try #require(bundle.files["main.js"])
    #expect(main.contains("new URL(\"../base/w.js\", import.meta.url)"), "\(main)")
    #expect(!main.contains("Says so") && main.contains("import(\"./x-view.js\").then((all) => all.$"), "\(main)")
    let view = try #require(bundle.files["x-view.js"])
    #expect(view.contains("const { one: first } = $0;") && view.contains("return { open };"), "\(view)")
  }

  @Test func filesAreCompressedAndKeptForEver() async throws {
    try await TestService.with { service async throws in
      let page = try await service.send(.GET, "/rooms/Cellar")
      #expect(page["cache-control"] == "no-cache")
      let address = "/studio/\(StudioSite.current.version)/bundle"
      for name in ["main.js", "room-door.js", "studio.css"] {
        #expect(page.text.contains("\"\(address)/\(name)\""), "\(name) \(page.text)")
        let plain = try await service.send(.GET, "\(address)/\(name)")
        #expect(plain.status == 200 && plain["content-encoding"] == nil && plain["vary"]?.contains("ncoding") == true)
        #expect(plain["cache-control"] == "public, max-age=31536000, immutable")
        let small = try await service.send(.GET, "\(address)/\(name)", [("Accept-Encoding", "br, gzip;q=0.8")])
        #expect(small["content-encoding"] == "gzip" && small.bytes.count * 2 < plain.bytes.count)
        #expect(small["etag"] != plain["etag"])
        let refused = try await service.send(.GET, "\(address)/\(name)", [("Accept-Encoding", "gzip;q=0, br")])
        #expect(refused.bytes == plain.bytes)
        let tag = try #require(small["etag"])
        let same = [("Accept-Encoding", "gzip"), ("If-None-Match", tag)]
        #expect(try await service.send(.GET, "\(address)/\(name)", same).status == 304)
      }
      #expect(!page.text.contains("/studio/base/main.js"))
      #expect(try await service.send(.GET, "/studio/v000000000000/bundle/main.js").status == 404)
      #expect(try await service.send(.GET, "\(address)/nothing.js").status == 404)
      #expect(try await service.send(.GET, "/studio/\(StudioSite.current.version)/takes/deck-worklet.js").status == 200)
    }
  }
}
