import Recording

/// The web studio as browsers get it: few files, below an address that changes with every byte of them, so that they can be
/// kept for ever. `script/studio` and the addresses without a version give the modules as they are written.
struct StudioSite: Sendable {
  /// The files of this program.
  static let current = StudioSite(
    EmbeddedFile.all.mapValues { $0.bytes }.filter { $0.key.hasPrefix(StudioSite.root) })

  private static let root = "studio/"
  private static let main = "base/main.js"

  /// The piece of the addresses that changes with the contents: "v1f8a03c7d2b4".
  let version: String
  /// By path below the version: "bundle/main.js", "takes/deck-worklet.js".
  private let files: [String: EmbeddedFile]
  /// The page for each view by the path of its module; nil if the modules could not be bundled.
  private let pages: [String: EmbeddedFile]?
  private let plainPage: EmbeddedFile

  /// - Parameter contents: by path below Sources/Resources.
  init(_ contents: [String: [UInt8]]) {
    let contents = Dictionary(
      contents.map { ($0.key.dropFirst(StudioSite.root.count), $0.value) }.map { (String($0.0), $0.1) },
      uniquingKeysWith: { first, _ in first })
    let sum = SHA256()
    for (path, bytes) in contents.sorted(by: { $0.key < $1.key }) {
      sum.update(Array(path.utf8))
      sum.update(bytes)
    }
    let digits = sum.finish().prefix(6).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    version = "v\(digits)"
    let text = contents.filter { $0.key.hasSuffix(".js") }.mapValues { String(decoding: $0, as: UTF8.self) }
    let page = String(decoding: contents["index.html"] ?? [], as: UTF8.self)
    plainPage = EmbeddedFile("studio/index.html", Array(page.utf8))
    var files = contents.filter { $0.key != "index.html" }
    let bundle = try? StudioBundle(text, main: StudioSite.main)
    if let bundle {
      for (name, text) in bundle.files { files["bundle/\(name)"] = Array(text.utf8) }
      files["bundle/studio.css"] = StudioSite.styles(of: page).flatMap { contents[$0] ?? [] }
      let address = "/studio/\(version)/bundle"
      pages = bundle.views.mapValues { view in
        EmbeddedFile("studio/index.html", Array(StudioSite.page(page, with: view.needed, below: address).utf8))
      }
    } else {
      pages = nil
    }
    self.files = Dictionary(
      files.map { ($0.key, EmbeddedFile("studio/\($0.key)", $0.value, isForEver: true)) },
      uniquingKeysWith: { first, _ in first })
  }

  /// True if the modules are bundled.
  var isBundled: Bool { pages != nil }

  /// The page that shows the view of a module first.
  func page(for view: String) -> EmbeddedFile { pages?[view] ?? plainPage }

  /// A file below the address of `version`; nil also for another version, whose files must not be mixed with ours.
  func file(_ path: String, of version: String) -> EmbeddedFile? { version == self.version ? files[path] : nil }

  // MARK: The page

  private static let stylePrefix = "<link rel=\"stylesheet\" href=\"/studio/"

  /// The paths of the page's own style sheets, in order.
  private static func styles(of page: String) -> [String] {
    page.split(separator: "\n").compactMap { line -> String? in
      let element = line.drop { $0 == " " }
      guard element.hasPrefix(stylePrefix) else { return nil }
      return element.dropFirst(stylePrefix.count).split(separator: "\"").first.map { String($0) }
    }
  }

  /// The page with its bundles instead of its modules.
  private static func page(_ page: String, with bundles: [String], below address: String) -> String {
    page.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line -> String? in
      if line.drop(while: { $0 == " " }).hasPrefix(stylePrefix) { return nil }
      guard line.contains("src=\"/studio/\(main)\"") else { return String(line) }
      let lines =
        [
          "<link rel=\"stylesheet\" href=\"\(address)/studio.css\">",
          "<script type=\"module\" src=\"\(address)/main.js\"></script>",
        ] + bundles.map { "<link rel=\"modulepreload\" href=\"\(address)/\($0)\">" }
      return lines.map { "  " + $0 }.joined(separator: "\n")
    }.joined(separator: "\n")
  }
}

extension SHA256 {
  fileprivate func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }
}
