/// A recursive parser of JSON texts; `JSONLimits.depth` limits the recursion.
struct JSONParser {
  private let bytes: [UInt8]
  private let limits: JSONLimits
  private var offset = 0
  private var valueCount = 0
  private var depth = 0

  /// Maximum length of a number, in characters; a Double never needs more than 25.
  private static let maximumNumberLength = 64

  init(_ bytes: [UInt8], limits: JSONLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  /// Parses the whole text as one value.
  mutating func parse() throws(JSONError) -> JSONValue {
    guard bytes.count <= limits.bytes else { throw JSONError(.tooLarge(limit: limits.bytes), at: limits.bytes) }
    let value = try value()
    skipBlanks()
    guard offset == bytes.count else { throw JSONError(.trailing, at: offset) }
    return value
  }

  private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skipBlanks() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
  }

  private func unexpected(_ expected: String) -> JSONError {
    guard let byte = current else { return JSONError(.endOfText, at: offset) }
    return JSONError(.unexpected(byte, expected: expected), at: offset)
  }

  private mutating func expect(_ byte: UInt8, _ name: String) throws(JSONError) {
    guard current == byte else { throw unexpected(name) }
    offset += 1
  }

  private mutating func value() throws(JSONError) -> JSONValue {
    skipBlanks()
    valueCount += 1
    guard valueCount <= limits.values else { throw JSONError(.tooManyValues(limit: limits.values), at: offset) }
    guard let first = current else { throw unexpected("a value") }
    switch first {
    case UInt8(ascii: "{"): return .object(try object())
    case UInt8(ascii: "["): return .array(try array())
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: throw unexpected("a value")
    }
  }

  private mutating func literal(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
    for byte in "\(word)".utf8 { try expect(byte, "\"\(word)\"") }
    return value
  }

  private mutating func enter() throws(JSONError) {
    depth += 1
    guard depth <= limits.depth else { throw JSONError(.tooDeep(limit: limits.depth), at: offset) }
    offset += 1
    skipBlanks()
  }

  private mutating func leave() {
    depth -= 1
    offset += 1
  }

  private mutating func array() throws(JSONError) -> [JSONValue] {
    try enter()
    var elements: [JSONValue] = []
    if current == UInt8(ascii: "]") {
      leave()
      return elements
    }
    while true {
      elements.append(try value())
      skipBlanks()
      if current == UInt8(ascii: "]") {
        leave()
        return elements
      }
      try expect(UInt8(ascii: ","), "\",\" or \"]\"")
    }
  }

  private mutating func object() throws(JSONError) -> JSONObject {
    try enter()
    var members: [JSONObject.Member] = []
    var names: Set<String> = []
    if current == UInt8(ascii: "}") {
      leave()
      return JSONObject()
    }
    while true {
      skipBlanks()
      let start = offset
      guard current == UInt8(ascii: "\"") else { throw unexpected("a name in quotation marks") }
      let name = try string()
      guard names.insert(name).inserted else { throw JSONError(.duplicateName(name), at: start) }
      skipBlanks()
      try expect(UInt8(ascii: ":"), "\":\"")
      members.append(JSONObject.Member(name: name, value: try value()))
      skipBlanks()
      if current == UInt8(ascii: "}") {
        leave()
        return JSONObject(distinct: members)
      }
      try expect(UInt8(ascii: ","), "\",\" or \"}\"")
    }
  }

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = offset
    var isWhole = true
    if current == UInt8(ascii: "-") { offset += 1 }
    if current == UInt8(ascii: "0") { offset += 1 } else { try digits(from: start) }
    // The grammar below would miss only a digit after a leading zero.
    if let byte = current, isDigit(byte) { throw JSONError(.invalidNumber, at: start) }
    if current == UInt8(ascii: ".") {
      isWhole = false
      offset += 1
      try digits(from: start)
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      isWhole = false
      offset += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { offset += 1 }
      try digits(from: start)
    }
    guard offset - start <= JSONParser.maximumNumberLength else {
      throw JSONError(.numberTooLong(limit: JSONParser.maximumNumberLength), at: start)
    }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    if isWhole, let integer = Int64(text) { return .integer(integer) }
    guard let number = Double(text) else { throw JSONError(.invalidNumber, at: start) }
    guard number.isFinite else { throw JSONError(.numberOutOfRange, at: start) }
    return .number(number)
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  private mutating func digits(from start: Int) throws(JSONError) {
    guard let first = current else { throw JSONError(.endOfText, at: offset) }
    guard isDigit(first) else { throw JSONError(.invalidNumber, at: start) }
    while let byte = current, isDigit(byte) { offset += 1 }
  }

  /// Parses a string; `current` is its opening quotation mark.
  private mutating func string() throws(JSONError) -> String {
    var reader = JSONStringReader(bytes: bytes, offset: offset + 1, limit: limits.stringBytes)
    let text = try reader.read()
    offset = reader.offset
    return text
  }
}

/// Limits for JSON from outside.
package struct JSONLimits: Hashable, Sendable {
  /// Maximum length of a text, in bytes.
  package var bytes: Int
  /// Maximum nesting depth of arrays and objects.
  package var depth: Int
  /// Maximum length of a string or member name, in bytes of UTF-8 after unescaping.
  package var stringBytes: Int
  /// Maximum number of values of all kinds in one text, so that 256 KiB of `[[],[],…` do not become megabytes.
  package var values: Int

  package init(bytes: Int = 262_144, depth: Int = 32, stringBytes: Int = 131_072, values: Int = 16_384) {
    self.bytes = bytes
    self.depth = depth
    self.stringBytes = stringBytes
    self.values = values
  }

  /// The limits of a signaling link: 256 KiB, 32 levels, strings of 128 KiB, 16,384 values.
  package static let signaling = JSONLimits()

  /// The limits for servers that others run, which bots visit: the list of a room with thousands of publishers.
  package static let foreign = JSONLimits(bytes: 2 << 20, values: 1 << 17)

  /// The limits for our clients and our own files. A service may send a whole shared object in one text: each byte of
  /// its 2 MiB can take six in JSON, and its values are nested a few levels deep in the message.
  package static let received = JSONLimits(bytes: 16 << 20, depth: 48, stringBytes: 1 << 20, values: 1 << 20)
}
