/// The reason why a text is not acceptable JSON, and the position of the fault.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fault.
  package enum Reason: Hashable, Sendable {
    case tooLarge(limit: Int)
    case tooDeep(limit: Int)
    case stringTooLong(limit: Int)
    case tooManyValues(limit: Int)
    case numberTooLong(limit: Int)
    case endOfText
    /// A byte that is invalid there, and the expected ones.
    case unexpected(UInt8, expected: String)
    case invalidNumber
    case numberOutOfRange
    case invalidEscape
    /// Half of a surrogate pair.
    case loneSurrogate
    case invalidUTF8
    case controlCharacter(UInt8)
    case duplicateName(String)
    case trailing
  }

  package var reason: Reason
  /// Position of the fault, in bytes from the start of the text.
  package var offset: Int

  init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// True if the text exceeded a limit rather than violated the grammar.
  package var isLimit: Bool {
    switch reason {
    case .tooLarge, .tooDeep, .stringTooLong, .tooManyValues, .numberTooLong: true
    default: false
    }
  }

  /// True if the text may well be JSON: it exceeds a limit, or one of its strings, names or numbers is not taken here.
  var mayBeJSON: Bool {
    switch reason {
    case .endOfText, .unexpected, .invalidNumber, .trailing: false
    default: true
    }
  }

  package var description: String { "\(sentence) (at byte \(offset))" }

  private var sentence: String {
    switch reason {
    case .tooLarge(let limit): "the text is longer than \(limit) bytes"
    case .tooDeep(let limit): "arrays and objects are nested deeper than \(limit) levels"
    case .stringTooLong(let limit): "a string is longer than \(limit) bytes"
    case .tooManyValues(let limit): "the text has more than \(limit) values"
    case .numberTooLong(let limit): "a number is longer than \(limit) characters"
    case .endOfText: "the text ends too early"
    case .unexpected(let byte, let expected): "\(JSONError.name(of: byte)) occurs instead of \(expected)"
    case .invalidNumber: "a number is malformed; -1, 0.5 and 1e3 are right, 01, +1 and .5 are not"
    case .numberOutOfRange: "a number is too large for 64-bit floating point"
    case .invalidEscape: "a backslash is followed by something else than \" \\ / b f n r t or u and four hex digits"
    case .loneSurrogate: "\\u escapes hold half of a surrogate pair"
    case .invalidUTF8: "a string is not UTF-8"
    case .controlCharacter(let byte): "\(JSONError.name(of: byte)) occurs in a string; it must be escaped"
    case .duplicateName(let name): "the name \"\(String(name.prefix(64)))\" comes twice in one object"
    case .trailing: "something follows the end of the value"
    }
  }

  private static func name(of byte: UInt8) -> String {
    if byte > 0x20, byte < 0x7F { return "\"\(Character(Unicode.Scalar(byte)))\"" }
    let digits = String(byte, radix: 16, uppercase: true)
    return "byte 0x\(digits.count == 1 ? "0" : "")\(digits)"
  }
}
