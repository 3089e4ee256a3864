/// A media section: the `m=` line and everything up to the next (RFC 8866 §5.14).
package struct MediaDescription: Sendable, Hashable {
  /// "audio", "video", "application", …
  package var media: String
  /// 0 refuses the section in an answer; 9 is a placeholder for the ICE address.
  package var port: UInt16
  /// The count after a slash in the port field; nearly always nil.
  package var portCount: UInt16?
  /// The transport protocol, such as "UDP/TLS/RTP/SAVPF".
  package var transport: String
  /// Formats in order of preference; payload types for RTP.
  package var formats: [String]
  /// Lines between `m=` and the attributes, including `c=`.
  package var lines: [SDPLine]
  /// Attributes in order.
  package var attributes: [SDPAttribute]

  package init(
    media: String, port: UInt16, portCount: UInt16? = nil, transport: String, formats: [String],
    lines: [SDPLine] = [.connectionByICE], attributes: [SDPAttribute] = []
  ) {
    self.media = media
    self.port = port
    self.portCount = portCount
    self.transport = transport
    self.formats = formats
    self.lines = lines
    self.attributes = attributes
  }

  /// The identifier of the section (RFC 5888); nil if it has none.
  package var mid: String? {
    attributes.first("mid")
  }

  /// True if the section is active: it has a port, or takes that of its bundle (RFC 9143 §6).
  package var isEnabled: Bool {
    port != 0 || attributes.has("bundle-only")
  }

  /// The direction from the point of view of the section's author; nil if neither section nor session specifies it.
  var direction: NegotiatedSession.Direction? {
    Self.direction(in: attributes)
  }

  /// The first direction attribute of a list; the session part may contain a default (RFC 8866 §6.7).
  static func direction(in attributes: [SDPAttribute]) -> NegotiatedSession.Direction? {
    for attribute in attributes where attribute.value == nil {
      if let direction = NegotiatedSession.Direction(rawValue: attribute.name) { return direction }
    }
    return nil
  }
}

/// One `a=` line (RFC 8866 §5.13): a property such as `rtcp-mux`, or a name with a value such as `mid:0`.
package struct SDPAttribute: Sendable, Hashable {
  package var name: String
  /// The text after the colon; nil for a property.
  package var value: String?

  package init(_ name: String, _ value: String? = nil) {
    self.name = name
    self.value = value
  }
}

extension [SDPAttribute] {
  /// The value of the first attribute of that name; nil if it is absent or has no value.
  package func first(_ name: String) -> String? {
    first { $0.name == name }?.value
  }

  /// The values of all attributes of that name, in order.
  package func all(_ name: String) -> [String] {
    compactMap { $0.name == name ? $0.value : nil }
  }

  /// True if there is an attribute of that name, with or without a value.
  package func has(_ name: String) -> Bool {
    contains { $0.name == name }
  }
}
