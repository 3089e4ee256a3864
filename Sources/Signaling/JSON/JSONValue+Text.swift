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
    var bytes: [UInt8] = []
    write(into: &bytes)
    return bytes
  }

  private func write(into bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(let bool): bytes.append(contentsOf: (bool ? "true" : "false").utf8)
    case .integer(let integer): bytes.append(contentsOf: String(integer).utf8)
    // JSON has no infinity.
    case .number(let number): bytes.append(contentsOf: (number.isFinite ? "\(number)" : "null").utf8)
    case .string(let string): JSONValue.write(string, into: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.write(into: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in object.members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        JSONValue.write(member.name, into: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(into: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ string: String, into bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    var string = string
    string.withUTF8 { text in
      // Text without escapes is copied in one piece.
      var start = text.startIndex
      for (index, byte) in text.enumerated() where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == 0x5C {
        bytes.append(contentsOf: text[start..<index])
        escape(byte, into: &bytes)
        start = index + 1
      }
      bytes.append(contentsOf: text[start...])
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func escape(_ byte: UInt8, into bytes: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
    case 0x0A: bytes.append(contentsOf: "\\n".utf8)
    case 0x0D: bytes.append(contentsOf: "\\r".utf8)
    case 0x09: bytes.append(contentsOf: "\\t".utf8)
    default:
      let digits = String(byte, radix: 16)
      bytes.append(contentsOf: "\\u00\(digits.count == 1 ? "0" : "")\(digits)".utf8)
    }
  }
}
