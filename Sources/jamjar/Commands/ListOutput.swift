import ArgumentParser
import Server
import Signaling

/// How a list is printed: as a table for people, JSON, CSV, or lines of one's own.
struct ListOutput: ParsableArguments {
  @Flag(name: .long, help: "Print JSON, as REST does.")
  var json = false
  @Flag(name: .long, help: "Print CSV (RFC 4180) with a heading.")
  var csv = false
  @Option(
    name: .long, help: ArgumentHelp("Only these fields: names of the JSON's members with commas.", valueName: "names"))
  var fields: String?
  @Option(
    name: .long,
    help: ArgumentHelp(
      "A line for each item, with its fields in braces: '{title}\\t{duration}'. \\t, \\n and \\\\ are a tab, a line break "
        + "and a backslash; {{ and }} are braces.", valueName: "template"))
  var format: String?

  /// The fields that items of a kind have.
  struct Known {
    var names: [String]

    static let takes = Known(names: TakeMembers.ofList + ["song.id"])
    static let songs = Known(names: ["id", "title", "composers", "key", "tempo", "notes", "revision"])
    static let people = Known(names: ["id", "name", "givenName", "names", "merged", "revision"])
    static let connections = Known(names: [
      "id", "room", "participants", "dialect", "direction", "transport", "state", "since", "address", "codecs",
      "bytesIn",
      "bytesOut", "bitrateIn", "bitrateOut", "buffered", "dropped", "lost", "jitter", "roundTrip",
    ])
    static let rooms = Known(names: [
      "name", "live", "state", "startedAt", "policy", "session", "members", "take", "stopped", "pairs",
    ])
    static let sessions = Known(names: ["id", "room", "startedAt", "endedAt"])
  }

  func validate() throws {
    if json, csv { throw ValidationError("--json and --csv exclude each other; give one of them") }
    if format != nil, json || csv || fields != nil {
      throw ValidationError("--format goes without --json, --csv and --fields; it names the fields itself")
    }
  }

  /// - Throws: `ValidationError` for a field that the items do not have.
  func check(_ known: Known) throws {
    _ = try chosen(known)
    if let format { _ = try LineTemplate(format, known: known.names) }
  }

  private func chosen(_ known: Known) throws -> [String]? {
    guard let fields else { return nil }
    let names = fields.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    for name in names where !known.names.contains(name) {
      throw ValidationError("--fields has \"\(name)\"; permitted: \(known.names.joined(separator: ", "))")
    }
    return names
  }

  /// Prints the list.
  /// - Parameters:
  ///   - none: the sentence for people if there are no items.
  ///   - table: the table for people, unless fields are chosen.
  func show(_ list: PagingOptions.List, _ known: Known, none: String, table: ([JSONObject]) -> String) throws {
    let names = try chosen(known)
    if let format {
      let template = try LineTemplate(format, known: known.names)
      for item in list.items { print(template.line(of: item)) }
    } else if csv {
      let names = names ?? known.names
      print(CSV.line(names), terminator: "")
      for item in list.items { print(CSV.line(names.map { item.field($0) }), terminator: "") }
    } else if json {
      var list = list
      if let names {
        list.items = list.items.map { item in JSONObject(names.map { ($0, item.value(at: $0) ?? .null) }) }
      }
      return print(list.json.prettyText)
    } else if list.items.isEmpty {
      return print(none)
    } else if let names {
      var chosen = TextTable(names.map { .text($0) })
      for item in list.items { chosen.add(names.map { item.field($0) }) }
      return print(chosen.text + list.footer)
    } else {
      return print(table(list.items) + list.footer)
    }
    // Not among the lines for programs.
    if list.next != nil { Terminal.complain("There are more; --limit N prints more of them.") }
  }
}

extension JSONObject {
  /// The value of a field; "song.id" is a member of a member.
  func value(at path: String) -> JSONValue? {
    guard let dot = path.firstIndex(of: ".") else { return self[path] }
    return self[String(path[..<dot])]?.object?.value(at: String(path[path.index(after: dot)...]))
  }

  /// The same as text: empty for null, texts of a list with commas, a song by its title.
  func field(_ path: String) -> String {
    guard let value = value(at: path), value != .null else { return "" }
    if let text = value.string { return text }
    if let list = value.array, list.allSatisfy({ $0.string != nil }) {
      return list.compactMap(\.string).joined(separator: ", ")
    }
    return value.object?["title"]?.string ?? value.text
  }
}

/// Comma-separated values (RFC 4180).
enum CSV {
  /// One record with its line break, CRLF.
  static func line(_ cells: [String]) -> String { cells.map(cell).joined(separator: ",") + "\r\n" }

  private static func cell(_ text: String) -> String {
    let text = text.printableLines
    let isPlain = !text.unicodeScalars.contains { $0 == "," || $0 == "\"" || $0 == "\n" || $0 == "\r" }
    return isPlain ? text : "\"\(text.replacing("\"", with: "\"\""))\""
  }
}

/// A line with fields in braces: `{title}\t{duration}`.
struct LineTemplate {
  private enum Part {
    case text(String)
    case field(String)
  }

  private var parts: [Part] = []

  /// - Throws: `ValidationError` that names the fault and what is permitted.
  init(_ template: String, known: [String]) throws {
    var text = ""
    var rest = Substring(template)
    func refusal(_ sentence: String) -> ValidationError { ValidationError("--format \(sentence)") }
    while let next = rest.popFirst() {
      switch next {
      case "\\":
        guard let letter = rest.popFirst(), let escaped = ["t": "\t", "n": "\n", "r": "\r", "\\": "\\"][letter] else {
          throw refusal("has a backslash before something else than t, n, r or another backslash")
        }
        text += escaped
      case "{" where rest.first == "{", "}" where rest.first == "}":
        rest.removeFirst()
        text.append(next)
      case "{":
        guard let end = rest.firstIndex(of: "}") else { throw refusal("has a { without a }; write {{ for a brace") }
        let name = String(rest[..<end])
        guard known.contains(name) else {
          throw refusal("has {\(name.prefix(64))}; permitted: \(known.joined(separator: ", "))")
        }
        rest = rest[rest.index(after: end)...]
        if !text.isEmpty { parts.append(.text(text)) }
        text = ""
        parts.append(.field(name))
      case "}": throw refusal("has a } without a {; write }} for a brace")
      default: text.append(next)
      }
    }
    if !text.isEmpty { parts.append(.text(text)) }
  }

  /// Values stay on the line: their breaks and tabs become blanks.
  func line(of item: JSONObject) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .field(let name): String(item.field(name).map { $0.isWhitespace ? " " : $0 }).printable
      }
    }.joined()
  }
}
