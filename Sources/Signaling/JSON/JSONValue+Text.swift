import Machines

extension JSONValue {
  /// Parses one JSON text from outside.
  ///
  /// Duplicate names in an object are refused, because two parsers would disagree on which one applies.
  /// - Throws: `JSONError` with the position of the first fault.
  ///
  /// ```swift
  /// let value = try JSONValue(parsing: #"{"id":1}"#)
  /// let id = value.object?["id"]?.integer
  /// ```
  package init(parsing bytes: [UInt8], limits: JSONLimits = .signaling) throws(JSONError) {
    var parser = JSONParser(bytes, limits: limits)
    self = try parser.parse()
  }

  /// Parses one JSON text from outside.
  /// - Throws: `JSONError` with the position of the first fault in the text's UTF-8.
  package init(parsing text: String, limits: JSONLimits = .signaling) throws(JSONError) {
    // The length is checked before the text is copied.
    guard text.utf8.count <= limits.bytes else { throw JSONError(.tooLarge(limit: limits.bytes), at: limits.bytes) }
    try self.init(parsing: Array(text.utf8), limits: limits)
  }

  /// The value as compact JSON text on one line.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// `text` as UTF-8, for sending.
  package var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.value(self)
    return writer.bytes
  }
}

extension JSONWriter {
  package mutating func value(_ value: JSONValue) {
    switch value {
    case .null: literal("null")
    case .bool(let value): bool(value)
    case .integer(let value): integer(value)
    case .number(let value): number(value)
    case .string(let value): string(value)
    case .array(let elements): array(elements) { $0.value($1) }
    case .object(let object):
      literal("{")
      var isFirst = true
      for member in object.members {
        if !isFirst { literal(",") }
        isFirst = false
        string(member.name)
        literal(":")
        self.value(member.value)
      }
      literal("}")
    }
  }
}
