import Foundation

/// The sources of this checkout, read as text.
struct SourceTree {
  struct File {
    /// Relative to the checkout.
    var path: String
    var text: String

    /// The folder below Sources: the module.
    var module: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

    /// The imported modules, whatever stands before `import`.
    var imports: [String] {
      text.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ")
        guard let index = words.firstIndex(of: "import"), index <= 2, words.count > index + 1, !line.hasPrefix("//")
        else { return nil }
        let kinds: Set<Substring> = ["struct", "class", "enum", "func", "protocol", "typealias", "let", "var"]
        let name = kinds.contains(words[index + 1]) && words.count > index + 2 ? words[index + 2] : words[index + 1]
        return name.split(separator: ".").first.map(String.init)
      }
    }

    /// The code without comments and string literals.
    var code: String {
      text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        let bare = line.replacing(#/"(\\.|[^"\\])*"/#, with: "\"\"")
        return bare.firstRange(of: "//").map { String(bare[..<$0.lowerBound]) } ?? String(bare)
      }.joined(separator: "\n")
    }
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// All Swift files below `folder`.
  static func files(below folder: String) throws -> [File] {
    let base = root.appending(path: folder)
    guard let walker = FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil) else {
      throw EmptyFolder(path: folder)
    }
    var files: [File] = []
    for case let url as URL in walker where url.pathExtension == "swift" {
      let path = folder + String(url.path.dropFirst(base.path.count))
      files.append(File(path: path, text: try String(contentsOf: url, encoding: .utf8)))
    }
    // A rule that is held against no file is kept by nobody.
    guard !files.isEmpty else { throw EmptyFolder(path: folder) }
    return files
  }

  struct EmptyFolder: Error {
    var path: String
  }
}
