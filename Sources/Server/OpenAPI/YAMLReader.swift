import Signaling

/// Reads the YAML in which our own OpenAPI document is written, and no more of that large language.
///
/// Taken are block mappings and sequences, flow collections, plain and quoted scalars, and the block scalars `|`, `>`
/// and `>-`; anchors, tags and several documents are refused. That the document means the same to others is tested
/// against PyYAML.
struct YAMLReader {
  /// What could not be read, and where.
  struct Failure: Error, Hashable, Sendable {
    /// From 1.
    var line: Int
    var reason: String
  }

  private struct Line {
    var number: Int
    var indent: Int
    var text: Substring
  }

  private var lines: [Line]
  private var next = 0

  /// Reads a whole document.
  static func read(_ text: String) throws(Failure) -> JSONValue {
    var reader = YAMLReader(text)
    let value = try reader.block(at: 0)
    reader.skipBlank()
    if let line = reader.current {
      throw Failure(line: line.number, reason: "this is not indented like what is before")
    }
    return value
  }

  private init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { number, line in
      let body = line.drop { $0 == " " }
      return Line(number: number + 1, indent: line.count - body.count, text: body)
    }
  }

  private var current: Line? { next < lines.count ? lines[next] : nil }

  private mutating func skipBlank() {
    while let line = current, line.text.isEmpty || line.text.hasPrefix("#") { next += 1 }
  }

  private mutating func block(at indent: Int) throws(Failure) -> JSONValue {
    skipBlank()
    guard let line = current, line.indent >= indent else { return .null }
    if YAMLReader.isItem(line.text) { return try sequence(at: line.indent) }
    return try mapping(at: line.indent)
  }

  private static func isItem(_ text: Substring) -> Bool { text == "-" || text.hasPrefix("- ") }

  private mutating func sequence(at indent: Int) throws(Failure) -> JSONValue {
    var items: [JSONValue] = []
    while true {
      skipBlank()
      guard let line = current, line.indent == indent, YAMLReader.isItem(line.text) else { return .array(items) }
      let rest = line.text.dropFirst().drop { $0 == " " }
      if !rest.hasPrefix("{"), !rest.hasPrefix("["), try YAMLReader.colon(in: rest, line.number) != nil {
        // The item is a mapping that begins on the line of its dash.
        lines[next].indent = indent + (line.text.count - rest.count)
        lines[next].text = rest
        items.append(try mapping(at: lines[next].indent))
      } else {
        items.append(try value(rest, of: line))
      }
    }
  }

  private mutating func mapping(at indent: Int) throws(Failure) -> JSONValue {
    var object = JSONObject()
    while true {
      skipBlank()
      guard let line = current, line.indent == indent, !YAMLReader.isItem(line.text) else { return .object(object) }
      guard let colon = try YAMLReader.colon(in: line.text, line.number) else {
        throw Failure(line: line.number, reason: "here must be a name and a colon")
      }
      let name = YAMLReader.name(line.text[..<colon])
      guard object[name] == nil else { throw Failure(line: line.number, reason: "\"\(name)\" comes twice") }
      let rest = line.text[line.text.index(after: colon)...].drop { $0 == " " }
      object[name] = try value(rest, of: line)
    }
  }

  /// The colon that ends a name: outside of quotation marks, before a blank or the line's end.
  private static func colon(in text: Substring, _ number: Int) throws(Failure) -> Substring.Index? {
    var quote: Character?
    var index = text.startIndex
    while index < text.endIndex {
      let character = text[index]
      if let open = quote {
        if character == open { quote = nil }
      } else if (character == "\"" || character == "'"), index == text.startIndex {
        quote = character
      } else if character == ":" {
        let after = text.index(after: index)
        if after == text.endIndex || text[after] == " " { return index }
      }
      index = text.index(after: index)
    }
    guard quote == nil else { throw Failure(line: number, reason: "a quotation mark is not closed") }
    return nil
  }

  private static func name(_ text: Substring) -> String {
    guard let first = text.first, first == "\"" || first == "'", text.count >= 2 else { return String(text) }
    return String(text.dropFirst().dropLast())
  }

  /// What stands behind a name or a dash, `rest` being what of it is on their line.
  private mutating func value(_ rest: Substring, of line: Line) throws(Failure) -> JSONValue {
    switch rest.first {
    case nil, "#":
      next += 1
      return try block(at: line.indent + 1)
    case "|", ">":
      next += 1
      return .string(blockScalar(rest, above: line.indent))
    case "{", "[":
      return try flow(rest, of: line)
    case "&", "*", "!", "%", "@", "`":
      throw Failure(line: line.number, reason: "anchors, tags and directives are not taken")
    default:
      next += 1
      return try YAMLReader.scalar(rest, line.number)
    }
  }

  private mutating func blockScalar(_ head: Substring, above indent: Int) -> String {
    var body: [Line] = []
    while let line = current, line.text.isEmpty || line.indent > indent {
      body.append(line)
      next += 1
    }
    while body.last?.text.isEmpty == true { body.removeLast() }
    let margin = body.first?.indent ?? 0
    let texts = body.map { $0.text.isEmpty ? "" : String(repeating: " ", count: $0.indent - margin) + $0.text }
    let ending = head.hasSuffix("-") ? "" : "\n"
    guard head.hasPrefix(">") else { return texts.joined(separator: "\n") + ending }
    // Lines of a paragraph become one; an empty line ends it.
    var text = ""
    for line in texts {
      if line.isEmpty {
        text += "\n"
      } else {
        text += (text.isEmpty || text.hasSuffix("\n") ? "" : " ") + line
      }
    }
    return text + ending
  }

  /// A collection in brackets, which may go over several lines.
  private mutating func flow(_ rest: Substring, of line: Line) throws(Failure) -> JSONValue {
    next += 1
    var text = String(rest)
    while true {
      var reader = YAMLFlowReader(text, line: line.number)
      if let value = try reader.read() { return value }
      guard let more = current else { throw Failure(line: line.number, reason: "a bracket is not closed") }
      text += " " + more.text
      next += 1
    }
  }

  /// A scalar on one line: quoted, a word of JSON, a number, or text; a comment behind it is left out.
  static func scalar(_ text: Substring, _ number: Int) throws(Failure) -> JSONValue {
    if let quote = text.first, quote == "\"" || quote == "'" {
      var reader = YAMLFlowReader(String(text), line: number)
      guard let value = try reader.read() else { throw Failure(line: number, reason: "a quotation mark is not closed") }
      return value
    }
    let plain = text.firstRange(of: " #").map { text[..<$0.lowerBound] } ?? text
    return word(String(plain).trimmed)
  }

  /// A plain scalar by YAML's core schema.
  static func word(_ text: String) -> JSONValue {
    switch text {
    case "null", "~", "": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default:
      let isNumber = text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) } && text.first != "+"
      if isNumber, let integer = Int64(text) { return .integer(integer) }
      if isNumber, let number = Double(text) { return .number(number) }
      return .string(text)
    }
  }
}
