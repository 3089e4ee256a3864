/// A session description (RFC 8866) as a value: the session part, then the media sections, all in order.
///
/// The model can represent any description; `Negotiation` interprets the lines.
package struct SessionDescription: Sendable, Hashable {
  package var origin: SDPOrigin
  /// The `s=` line; usually "-".
  package var name: String
  /// Lines of the session part between `s=` and the attributes, including `t=`.
  package var lines: [SDPLine]
  /// Attributes of the session part, in order.
  package var attributes: [SDPAttribute]
  package var media: [MediaDescription]

  package init(
    origin: SDPOrigin, name: String = "-", lines: [SDPLine] = [SDPLine("t", "0 0")],
    attributes: [SDPAttribute] = [], media: [MediaDescription] = []
  ) {
    self.origin = origin
    self.name = name
    self.lines = lines
    self.attributes = attributes
    self.media = media
  }

  /// Parses a description; throws the fault and its line.
  package init(parsing text: String, limits: SDPLimits = SDPLimits()) throws(SDPError) {
    self = try SDPParser.parse(text, limits: limits)
  }

  /// The description as text with CR LF line endings.
  package var text: String {
    SDPWriter.text(of: self)
  }

  /// The mids of the BUNDLE group that contains `mid`; nil if there is none (RFC 9143 §7.2).
  func bundle(of mid: String) -> [String]? {
    for group in attributes.all("group") {
      let words = group.split(separator: " ").map(String.init)
      if words.first == "BUNDLE", words.dropFirst().contains(mid) { return Array(words.dropFirst()) }
    }
    return nil
  }
}

/// The `o=` line (RFC 8866 §5.2): the author of the description and its version.
///
/// Identifier and version remain text: RFC 8866 defines them as numeric strings of any length, and nothing computes
/// with them.
package struct SDPOrigin: Sendable, Hashable {
  package var username: String
  package var sessionID: String
  /// Increases with every changed description of one side.
  package var sessionVersion: String
  package var networkType: String
  package var addressType: String
  package var address: String

  package init(
    username: String = "-", sessionID: String, sessionVersion: String, networkType: String = "IN",
    addressType: String = "IP4", address: String = "0.0.0.0"
  ) {
    self.username = username
    self.sessionID = sessionID
    self.sessionVersion = sessionVersion
    self.networkType = networkType
    self.addressType = addressType
    self.address = address
  }

  /// Parses the value of an `o=` line; nil unless it has six fields.
  init?(parsing value: String) {
    let fields = value.split(separator: " ", maxSplits: 6).map(String.init)
    guard fields.count == 6 else { return nil }
    self.init(
      username: fields[0], sessionID: fields[1], sessionVersion: fields[2], networkType: fields[3],
      addressType: fields[4], address: fields[5])
  }

  /// The value of the line.
  var text: String {
    [username, sessionID, sessionVersion, networkType, addressType, address].joined(separator: " ")
  }
}

/// Writes a session description as text (RFC 8866 §5): lines in the RFC's order, each with CR LF.
package enum SDPWriter {
  /// The description as text.
  ///
  /// Control characters in values are removed, so that a name with a line break cannot inject a line.
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
    // Filtered by scalar rather than by character: CR LF is one Character.
    text.unicodeScalars.append(contentsOf: value.unicodeScalars.lazy.filter { isPrintable($0) })
    text.append("\r\n")
  }

  /// True for the characters that the parser accepts: all except control characters, plus the tab.
  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\t" || (scalar.value >= 0x20 && scalar.value != 0x7F)
  }
}
