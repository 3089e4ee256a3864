/// The name under which a client publishes or plays.
package struct RTMPStreamName: Hashable, Sendable {
  private static let maximumLength = 255

  /// As it came, with the query.
  package let text: String
  /// Without the query.
  package let name: String
  /// Stream keys come this way: "guitar?key=…".
  package let query: RTMPQuery?

  /// Nil where there is no name, more than 255 bytes or a control character.
  package init?(_ text: String) {
    let name = String(text.prefix { $0 != "?" })
    guard !name.isEmpty, text.utf8.count <= RTMPStreamName.maximumLength,
      !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
    else { return nil }
    self.text = text
    self.name = name
    query = RTMPQuery(of: text)
  }
}
