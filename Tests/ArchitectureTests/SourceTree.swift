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
    let code: String

    init(path: String, text: String) {
      (self.path, self.text) = (path, text)
      code = File.code(of: text)
    }

    /// Cuts every line at its comment, and empties what stands between quotation marks. By bytes: a pattern for all lines
    /// of the checkout takes half a minute of the processor.
    private static func code(of text: String) -> String {
      let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
      let (slash, newline) = (UInt8(ascii: "/"), UInt8(ascii: "\n"))
      let bytes = Array(text.utf8)
      var code: [UInt8] = []
      code.reserveCapacity(bytes.count)
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        code.append(byte)
        index += 1
        if byte == quote {
          var end = index
          while end < bytes.count, bytes[end] != quote, bytes[end] != newline { end += bytes[end] == backslash ? 2 : 1 }
          // Without its end it is no literal of one line.
          guard end < bytes.count, bytes[end] == quote else { continue }
          code.append(quote)
          index = end + 1
        } else if byte == slash, index < bytes.count, bytes[index] == slash {
          code.removeLast()
          while index < bytes.count, bytes[index] != newline { index += 1 }
        }
      }
      return String(decoding: code, as: UTF8.self)
    }
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// All Swift files below `folder`.
  static func files(below folder: String) throws -> [File] {
    let files = try all.get().filter { $0.path.hasPrefix(folder + "/") }
    // A rule that is held against no file is kept by nobody.
    guard !files.isEmpty else { throw EmptyFolder(path: folder) }
    return files
  }

  /// Read once, whichever test is first.
  private static let all = Result { try ["Sources", "Tests"].flatMap(read) }

  private static func read(_ folder: String) throws -> [File] {
    let base = root.appending(path: folder)
    guard let walker = FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil) else {
      throw EmptyFolder(path: folder)
    }
    var files: [File] = []
    for case let url as URL in walker where url.pathExtension == "swift" {
      let path = folder + String(url.path.dropFirst(base.path.count))
      files.append(File(path: path, text: try String(contentsOf: url, encoding: .utf8)))
    }
    return files
  }

  struct EmptyFolder: Error {
    var path: String
  }
}
