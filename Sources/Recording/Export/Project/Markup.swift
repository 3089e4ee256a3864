/// An XML element with its attributes and what is in it.
struct Markup {
  var name: String
  var attributes: [(name: String, value: String)]
  var children: [Markup]
  /// What stands in an element without children.
  var text: String?

  init(
    _ name: String, _ attributes: KeyValuePairs<String, String> = [:], text: String? = nil, _ children: [Markup] = []
  ) {
    self.name = name
    self.attributes = attributes.map { ($0.key, $0.value) }
    self.text = text
    self.children = children
  }

  /// A document of this element, in UTF-8.
  var document: String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n" + lines(0)
  }

  private func lines(_ depth: Int) -> String {
    let blanks = String(repeating: "  ", count: depth)
    let head = attributes.map { " \($0.name)=\"\(Markup.escaped($0.value))\"" }.joined()
    if let text { return "\(blanks)<\(name)\(head)>\(Markup.escaped(text))</\(name)>\n" }
    guard !children.isEmpty else { return "\(blanks)<\(name)\(head)/>\n" }
    return "\(blanks)<\(name)\(head)>\n" + children.map { $0.lines(depth + 1) }.joined() + "\(blanks)</\(name)>\n"
  }

  /// `text` for an attribute or between tags; what XML 1.0 has no place for (section 2.2) becomes a blank.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
