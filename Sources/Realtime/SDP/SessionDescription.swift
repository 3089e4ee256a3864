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
