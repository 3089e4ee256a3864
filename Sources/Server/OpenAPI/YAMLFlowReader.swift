import Signaling

/// Reads one flow collection or quoted scalar of YAML: `{type: string}`, `[a, "b"]`, `'c'`.
struct YAMLFlowReader {
  private let characters: [Character]
  private let line: Int
  private var offset = 0

  init(_ text: String, line: Int) {
    characters = Array(text)
    self.line = line
  }

  /// The whole value; nil where it goes on behind the end of the text.
  mutating func read() throws(YAMLReader.Failure) -> JSONValue? {
    guard let value = try value() else { return nil }
    skipBlanks()
    guard offset == characters.count || characters[offset] == "#" else { throw unexpected() }
    return value
  }

  private var current: Character? { offset < characters.count ? characters[offset] : nil }

  private mutating func skipBlanks() {
    while current == " " { offset += 1 }
  }

  private func unexpected() -> YAMLReader.Failure {
    YAMLReader.Failure(line: line, reason: "\"\(current.map(String.init) ?? "")\" does not belong here")
  }

  private mutating func value() throws(YAMLReader.Failure) -> JSONValue? {
    skipBlanks()
    switch current {
    case nil: return nil
    case "{": return try mapping()
    case "[": return try sequence()
    case "\"", "'": return try quoted().map(JSONValue.string)
    default: return YAMLReader.word(plain())
    }
  }

  private mutating func sequence() throws(YAMLReader.Failure) -> JSONValue? {
    offset += 1
    var items: [JSONValue] = []
    while true {
      skipBlanks()
      if current == "]" {
        offset += 1
        return .array(items)
      }
      guard let item = try value() else { return nil }
      items.append(item)
      guard try separator(or: "]") else { return nil }
    }
  }

  private mutating func mapping() throws(YAMLReader.Failure) -> JSONValue? {
    offset += 1
    var object = JSONObject()
    while true {
      skipBlanks()
      if current == "}" {
        offset += 1
        return .object(object)
      }
      guard let name = current == "\"" || current == "'" ? try quoted() : plain() else { return nil }
      skipBlanks()
      guard let colon = current else { return nil }
      guard colon == ":" else { throw unexpected() }
      offset += 1
      guard let member = try value() else { return nil }
      object[name] = member
      guard try separator(or: "}") else { return nil }
    }
  }

  /// Steps over a comma, stays before the end; false where neither is there yet.
  private mutating func separator(or end: Character) throws(YAMLReader.Failure) -> Bool {
    skipBlanks()
    switch current {
    case nil: return false
    case ",": offset += 1
    case end: break
    default: throw unexpected()
    }
    return true
  }

  private mutating func quoted() throws(YAMLReader.Failure) -> String? {
    guard let quote = current else { return nil }
    offset += 1
    var text = ""
    while let character = current {
      offset += 1
      switch character {
      case quote:
        // A doubled apostrophe stands for one.
        guard quote == "'", current == "'" else { return text }
        text.append("'")
        offset += 1
      case "\\" where quote == "\"":
        guard let escaped = current else { return nil }
        offset += 1
        switch escaped {
        case "n": text.append("\n")
        case "t": text.append("\t")
        case "\"", "\\", "/": text.append(escaped)
        default: throw YAMLReader.Failure(line: line, reason: "there is no escape \\\(escaped) here")
        }
      default: text.append(character)
      }
    }
    return nil
  }

  private mutating func plain() -> String {
    var text = ""
    while let character = current, !",{}[]".contains(character) {
      let following = offset + 1 < characters.count ? characters[offset + 1] : " "
      if character == ":", following == " " { break }
      text.append(character)
      offset += 1
    }
    return text.trimmed
  }
}
