/// A session description (RFC 8866) as a value: the session part, then the media sections, everything in order.
///
/// The model holds any description, not only WebRTC's; what the lines mean is read by `Negotiation`.
package struct SessionDescription: Sendable, Hashable {
  package var origin: SDPOrigin
  /// The `s=` line; "-" where nobody cares.
  package var name: String
  /// Lines of the session part between `s=` and the attributes, `t=` among them.
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

  /// Reads a description; throws what is wrong and in which line.
  package init(parsing text: String, limits: SDPLimits = SDPLimits()) throws(SDPError) {
    self = try SDPParser.parse(text, limits: limits)
  }

  /// The description as text, lines ended by CR LF.
  package var text: String {
    SDPWriter.text(of: self)
  }

  /// The mids of the BUNDLE group that `mid` is in, or nil where it is in none (RFC 9143 §7.2).
  func bundle(of mid: String) -> [String]? {
    for group in attributes.all("group") {
      let words = group.split(separator: " ").map(String.init)
      if words.first == "BUNDLE", words.dropFirst().contains(mid) { return Array(words.dropFirst()) }
    }
    return nil
  }
}

/// The `o=` line (RFC 8866 §5.2): who made the description, and its version.
///
/// Identifier and version stay text: RFC 8866 calls them numeric strings of any length, and nobody computes with them.
package struct SDPOrigin: Sendable, Hashable {
  package var username: String
  package var sessionID: String
  /// Rises with every changed description of one side.
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

  /// Reads the value of an `o=` line; nil unless it has six fields.
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
