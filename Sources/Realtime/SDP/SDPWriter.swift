/// Writes a session description as text (RFC 8866 §5): lines in the order of the RFC, each ended by CR LF.
package enum SDPWriter {
  /// The description as text.
  ///
  /// Control characters in values are left out: a name with a line break in it must not become a line of its own.
  package static func text(of description: SessionDescription) -> String {
    var text = ""
    append("v", "0", to: &text)
    append("o", description.origin.text, to: &text)
    append("s", description.name, to: &text)
    for line in description.lines { append(line.type, line.value, to: &text) }
    append(description.attributes, to: &text)
    for section in description.media {
      let port = section.portCount.map { "\(section.port)/\($0)" } ?? String(section.port)
      let fields = [section.media, port, section.transport] + section.formats
      append("m", fields.joined(separator: " "), to: &text)
      for line in section.lines { append(line.type, line.value, to: &text) }
      append(section.attributes, to: &text)
    }
    return text
  }

  private static func append(_ attributes: [SDPAttribute], to text: inout String) {
    for attribute in attributes {
      append("a", attribute.value.map { attribute.name + ":" + $0 } ?? attribute.name, to: &text)
    }
  }

  private static func append(_ type: Character, _ value: String, to text: inout String) {
    text.append(type)
    text.append("=")
    // By scalars, not characters: CR LF is one Character.
    text.unicodeScalars.append(contentsOf: value.unicodeScalars.lazy.filter { isPrintable($0) })
    text.append("\r\n")
  }

  /// What the parser would take back: everything but the control characters, with the tab.
  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\t" || (scalar.value >= 0x20 && scalar.value != 0x7F)
  }
}
