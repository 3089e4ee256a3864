/// One `a=` line (RFC 8866 §5.13): a property such as `rtcp-mux`, or a name with a value such as `mid:0`.
package struct SDPAttribute: Sendable, Hashable {
  package var name: String
  /// What follows the colon; nil for a property.
  package var value: String?

  package init(_ name: String, _ value: String? = nil) {
    self.name = name
    self.value = value
  }
}

extension [SDPAttribute] {
  /// The value of the first attribute of that name; nil where there is none or where it has no value.
  package func first(_ name: String) -> String? {
    first { $0.name == name }?.value
  }

  /// The values of all attributes of that name, in order.
  package func all(_ name: String) -> [String] {
    compactMap { $0.name == name ? $0.value : nil }
  }

  /// True where an attribute of that name stands, with or without a value.
  package func has(_ name: String) -> Bool {
    contains { $0.name == name }
  }
}
