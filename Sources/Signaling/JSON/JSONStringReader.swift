/// Parses and unescapes one JSON string.
struct JSONStringReader {
  private let bytes: [UInt8]
  private let limit: Int
  private let start: Int
  /// The next byte to read; after `read()`, the one after the closing quotation mark.
  private(set) var offset: Int

  /// `offset` is the first byte after the opening quotation mark, `limit` the maximum length in bytes of UTF-8.
  init(bytes: [UInt8], offset: Int, limit: Int) {
    self.bytes = bytes
    self.offset = offset
    self.start = offset
    self.limit = limit
  }

  mutating func read() throws(JSONError) -> String {
    var text: [UInt8] = []
    var runStart = offset
    while true {
      guard offset < bytes.count else { throw JSONError(.endOfText, at: bytes.count) }
      let byte = bytes[offset]
      switch byte {
      case UInt8(ascii: "\""):
        text.append(contentsOf: bytes[runStart..<offset])
        offset += 1
        guard text.count <= limit else { throw JSONError(.stringTooLong(limit: limit), at: start) }
        guard let string = String(validating: text, as: UTF8.self) else { throw JSONError(.invalidUTF8, at: start) }
        return string
      case UInt8(ascii: "\\"):
        text.append(contentsOf: bytes[runStart..<offset])
        try escape(into: &text)
        runStart = offset
      case ..<0x20:
        throw JSONError(.controlCharacter(byte), at: offset)
      default:
        offset += 1
      }
      // in range: a run begins before its end
      guard text.count <= limit, offset - runStart <= limit else {
        throw JSONError(.stringTooLong(limit: limit), at: start)
      }
    }
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
    let start = offset
    guard offset + 1 < bytes.count else { throw JSONError(.endOfText, at: bytes.count) }
    let letter = bytes[offset + 1]
    offset += 2
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: Array(String(Character(try scalar(from: start))).utf8))
    default: throw JSONError(.invalidEscape, at: start)
    }
  }

  /// Parses an escape after `\u`, including the second half of a surrogate pair if needed.
  private mutating func scalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
    let first = try hexadecimal(from: start)
    var code = UInt32(first)
    if UTF16.isLeadSurrogate(first) {
      guard offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u") else {
        throw JSONError(.loneSurrogate, at: start)
      }
      offset += 2
      let second = try hexadecimal(from: start)
      guard UTF16.isTrailSurrogate(second) else { throw JSONError(.loneSurrogate, at: start) }
      // in range: two surrogates, ten bits each
      code = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw JSONError(.loneSurrogate, at: start) }
    return scalar
  }

  private mutating func hexadecimal(from start: Int) throws(JSONError) -> UInt16 {
    guard offset + 4 <= bytes.count else { throw JSONError(.endOfText, at: bytes.count) }
    var value: UInt16 = 0
    for byte in bytes[offset..<offset + 4] {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt16(byte &- 0x30)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt16(byte &- 0x61 &+ 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt16(byte &- 0x41 &+ 10)
      default: throw JSONError(.invalidEscape, at: start)
      }
    }
    offset += 4
    return value
  }
}
