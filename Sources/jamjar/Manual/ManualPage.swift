import Signaling

/// A manual page in man(7) from ArgumentParser's description of the commands.
struct ManualPage {
  private var lines: [String] = []

  /// The description is our own, and exceeds the limit for JSON from strangers.
  private static let limits = JSONLimits(bytes: 16 << 20, depth: 64, stringBytes: 1 << 20, values: 1 << 20)

  /// - Parameters:
  ///   - dump: the output of `--experimental-dump-help` (ToolInfoV0).
  ///   - version: "jamjar 1.0.0".
  init?(dump: String, version: String) {
    guard let root = (try? JSONValue(parsing: Array(dump.utf8), limits: ManualPage.limits))?.object?["command"]?.object
    else { return nil }
    lines.append(".TH JAMJAR 1 \"\" \"\(ManualPage.escaped(version))\" \"User Commands\"")
    section("NAME")
    lines.append("jamjar \\- \(ManualPage.escaped(ManualPage.abstract(root)))")
    section("SYNOPSIS")
    lines += [".B jamjar", ".I command", "[options]"]
    section("EXIT STATUS")
    paragraphs(root["discussion"]?.string ?? "")
    section("COMMANDS")
    commands(of: root, path: "jamjar")
    section("ENVIRONMENT")
    for (name, text) in ManualPage.environment { entry(name, text) }
    section("FILES")
    entry("Recordings/jamjar.sqlite", "The index of a data folder; it can be rebuilt from the takes' folders.")
    entry("Recordings/ROOM/SESSION/TAKE/", "A take: journal, manifest, one sound file for each track, mix, peaks.")
    section("SEE ALSO")
    paragraphs("docs/cli.md, docs/rest.md and docs/operating.md of the source.")
  }

  var text: String { lines.joined(separator: "\n") }

  private static let environment = [
    ("JAMJAR_DATA", "Data folder, as --data."),
    ("JAMJAR_SERVER", "URL of the service to use instead of the data folder, like --server."),
    ("JAMJAR_TOKEN", "API key of that service, as --token, which every user of the machine could read."),
    ("JAMJAR_JOIN_SECRET, JAMJAR_API_KEYS", "Secrets of jamjar serve; never given on the command line."),
    ("JAMJAR_CONFIG", "JSON file with settings, as --config."),
    ("NO_COLOR", "Disables colours even on a terminal."),
    ("COLUMNS", "Width of tables, overriding the terminal's."),
  ]

  private mutating func commands(of command: JSONObject, path: String) {
    for child in command["subcommands"]?.array?.compactMap(\.object) ?? [] where child["shouldDisplay"]?.bool != false {
      let name = "\(path) \(child["commandName"]?.string ?? "")"
      // ArgumentParser's own command, which every program has.
      guard name != "jamjar help" else { continue }
      lines.append(".SS \"\(ManualPage.escaped(ManualPage.synopsis(child, name)))\"")
      paragraphs(ManualPage.abstract(child))
      if let discussion = child["discussion"]?.string {
        lines.append(".PP")
        paragraphs(discussion)
      }
      for argument in child["arguments"]?.array?.compactMap(\.object) ?? [] where ManualPage.isTold(argument) {
        entry(ManualPage.names(of: argument), ManualPage.help(of: argument))
      }
      commands(of: child, path: name)
    }
  }

  private mutating func section(_ title: String) { lines.append(".SH \(title)") }

  private mutating func entry(_ term: String, _ text: String) {
    lines += [".TP", ".B \(ManualPage.escaped(term))", ManualPage.escaped(text.isEmpty ? "(see above)" : text)]
  }

  private mutating func paragraphs(_ text: String) {
    for line in text.split(separator: "\n") { lines.append(ManualPage.escaped(String(line))) }
  }

  private static func abstract(_ command: JSONObject) -> String { command["abstract"]?.string ?? "" }

  /// True for options worth listing; --help and --version are the same everywhere.
  private static func isTold(_ argument: JSONObject) -> Bool {
    let name = argument["preferredName"]?.object?["name"]?.string
    return argument["shouldDisplay"]?.bool != false && name != "help" && name != "version"
  }

  private static func synopsis(_ command: JSONObject, _ name: String) -> String {
    let positional = (command["arguments"]?.array?.compactMap(\.object) ?? []).filter {
      $0["kind"]?.string == "positional" && isTold($0)
    }
    return ([name] + positional.map { placeholder($0) + ($0["isRepeating"]?.bool == true ? "..." : "") })
      .joined(separator: " ")
  }

  private static func placeholder(_ argument: JSONObject) -> String {
    (argument["valueName"]?.string ?? "value").uppercased()
  }

  private static func names(of argument: JSONObject) -> String {
    if argument["kind"]?.string == "positional" { return placeholder(argument) }
    let names = (argument["names"]?.array?.compactMap(\.object) ?? []).map { name in
      (name["kind"]?.string == "long" ? "--" : "-") + (name["name"]?.string ?? "")
    }
    let value = argument["kind"]?.string == "option" ? " \(placeholder(argument))" : ""
    return names.joined(separator: ", ") + value
  }

  private static func help(of argument: JSONObject) -> String {
    let text = argument["abstract"]?.string ?? ""
    return text + (argument["defaultValue"]?.string.map { " (default: \($0))" } ?? "")
  }

  /// Escapes roff's special characters: backslashes, hyphens to be copied, and dots or quotes at the start of a line.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "\"": escaped += "\\(dq"
      case "…": escaped += "..."
      case "\n": escaped += " "
      default: escaped.append(character)
      }
    }
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }
}
