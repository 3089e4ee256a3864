import TestSupport
import Testing

@testable import Signaling

@Suite struct JSONParserTests {
  @Test(arguments: [
    ("null", JSONValue.null),
    (" true ", true),
    ("\t\r\nfalse\n", false),
    ("0", 0),
    ("-0", 0),
    ("-12", -12),
    ("9223372036854775807", .integer(.max)),
    ("-9223372036854775808", .integer(.min)),
    ("9223372036854775808", .number(9_223_372_036_854_775_808)),
    ("0.5", .number(0.5)),
    ("-1.25e2", .number(-125)),
    ("1E+3", .number(1000)),
    ("1e-400", .number(0)),
    ("\"\"", ""),
    ("\"a\\\"\\\\\\/\\b\\f\\n\\r\\tz\"", "a\"\\/\u{8}\u{C}\n\r\tz"),
    ("\"\\u00e9\\ud83c\\udfb8\\u0000\"", "é🎸\u{0}"),
    ("\"é🎸\u{7F}\"", "é🎸\u{7F}"),
    ("[]", .array([])),
    ("[ 1 , [ ] , { } ]", .array([1, .array([]), .object([:])])),
    ("{\"a\":1,\"b\":{\"a\":null}}", .object(["a": 1, "b": .object(["a": .null])])),
  ])
  func readsWhatTheGrammarAllows(text: String, value: JSONValue) throws {
    #expect(try JSONValue(parsing: text) == value)
  }

  @Test(arguments: [
    ("", JSONError.Reason.endOfText, 0),
    ("  ", .endOfText, 2),
    ("nul", .endOfText, 3),
    ("nulL", .unexpected(0x4C, expected: "\"null\""), 3),
    ("[1,]", .unexpected(0x5D, expected: "a value"), 3),
    ("[1 2]", .unexpected(0x32, expected: "\",\" or \"]\""), 3),
    ("[", .endOfText, 1),
    ("{\"a\":1,}", .unexpected(0x7D, expected: "a name in quotation marks"), 7),
    ("{a:1}", .unexpected(0x61, expected: "a name in quotation marks"), 1),
    ("{\"a\" 1}", .unexpected(0x31, expected: "\":\""), 5),
    ("{\"a\":1", .endOfText, 6),
    ("{\"a\":1,\"\\u0061\":2}", .duplicateName("a"), 7),
    ("01", .invalidNumber, 0),
    ("-", .endOfText, 1),
    ("-a", .invalidNumber, 0),
    ("[1.]", .invalidNumber, 1),
    ("[1e+]", .invalidNumber, 1),
    ("+1", .unexpected(0x2B, expected: "a value"), 0),
    ("1e999", .numberOutOfRange, 0),
    ("\"a", .endOfText, 2),
    ("\"a\\", .endOfText, 3),
    ("\"a\\x\"", .invalidEscape, 2),
    ("\"\\u12g4\"", .invalidEscape, 1),
    ("\"\\u12", .endOfText, 5),
    ("\"\\ud800\"", .loneSurrogate, 1),
    ("\"\\ud800\\u0041\"", .loneSurrogate, 1),
    ("\"\\udc00\"", .loneSurrogate, 1),
    ("\"a\nb\"", .controlCharacter(0x0A), 2),
    ("1 1", .trailing, 2),
    ("NaN", .unexpected(0x4E, expected: "a value"), 0),
  ])
  func saysWhatIsWrongAndWhere(text: String, reason: JSONError.Reason, offset: Int) {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    #expect(error?.reason == reason)
    #expect(error?.offset == offset)
    #expect(error?.description.hasSuffix("(at byte \(offset))") == true)
  }

  @Test func refusesBytesThatAreNotUTF8() {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22, 0xC3, 0x28, 0x22]) }
    #expect(error?.reason == .invalidUTF8)
  }

  @Test func takesEachLimitAndNotOneMore() throws {
    let limits = JSONLimits(bytes: 64, depth: 3, stringBytes: 8, values: 5)
    func reason(_ text: String) -> JSONError.Reason? {
      do {
        _ = try JSONValue(parsing: text, limits: limits)
        return nil
      } catch {
        #expect(error.isLimit)
        return error.reason
      }
    }
    #expect(reason("[[[]]]") == nil)
    #expect(reason("[[[[]]]]") == .tooDeep(limit: 3))
    #expect(reason("\"12345678\"") == nil)
    #expect(reason("\"123456789\"") == .stringTooLong(limit: 8))
    #expect(reason("\"1234567\\u00e9\"") == .stringTooLong(limit: 8))
    #expect(reason("{\"123456789\":1}") == .stringTooLong(limit: 8))
    #expect(reason("[1,2,3,4]") == nil)
    #expect(reason("[1,2,3,4,5]") == .tooManyValues(limit: 5))
    #expect(reason("0" + String(repeating: " ", count: 63)) == nil)
    #expect(reason("0" + String(repeating: " ", count: 64)) == .tooLarge(limit: 64))
    #expect(reason(String(repeating: "1", count: 64)) == nil)
  }

  @Test func takesNumbersOf64CharactersAndNotOfOneMore() throws {
    #expect(try JSONValue(parsing: "0." + String(repeating: "3", count: 62)) == .number(1.0 / 3))
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: "0." + String(repeating: "3", count: 63)) }
    #expect(error?.reason == .numberTooLong(limit: 64))
  }

  @Test func refusesAMegabyteOfBracketsAtOnce() {
    let text = String(repeating: "[", count: 1_000_000)
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    #expect(error?.reason == .tooLarge(limit: 262_144))
    let shorter = #expect(throws: JSONError.self) { try JSONValue(parsing: String(text.prefix(262_144))) }
    #expect(shorter?.reason == .tooDeep(limit: 32))
  }

  @Test func neverTrapsOnRandomBytes() {
    var generator = SeededRandom(1)
    let alphabet = Array("{}[]\",:\\u0019.eE+-truefalsn \u{1}é".utf8) + [0xFF, 0xC3, 0xED, 0xA0]
    var read = 0
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        alphabet.randomElement(using: &generator) ?? 0
      }
      guard let value = try? JSONValue(parsing: bytes) else { continue }
      read += 1
      if (try? JSONValue(parsing: value.text)) != value { Issue.record("\(bytes) changes when it is written again") }
    }
    #expect(read > 50)
  }

  @Test func readsItsOwnWritingAgain() throws {
    var generator = SeededRandom(2)
    for _ in 0..<500 {
      let value = JSONValue.random(depth: 4, using: &generator)
      #expect(try JSONValue(parsing: value.text) == value)
    }
  }

  @Test func writesCompactTextAndNoInfinity() {
    let value: JSONValue = [
      "a": [1, true, .null, "\"\\\n\r\t\u{1}\u{1F}é"], "b": .number(.infinity), "c": .number(1.5),
    ]
    #expect(value.text == #"{"a":[1,true,null,"\"\\\n\r\t\u0001\u001fé"],"b":null,"c":1.5}"#)
    #expect(JSONValue.measure(30).text == "30")
    #expect(JSONValue.measure(.nan) == .null)
  }
}

extension JSONValue {
  static func random(depth: Int, using generator: inout SeededRandom) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &generator) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &generator))
    case 2: return .integer(Int64.random(in: .min ... .max, using: &generator))
    case 3:
      return .number(Double(bitPattern: generator.next()).isFinite ? Double.random(in: -1...1, using: &generator) : 0.5)
    case 4:
      let scalars: [Character] = ["a", "\"", "\\", "\n", "\u{0}", "é", "🎸", "\u{2028}", "/"]
      return .string(String((0..<4).map { _ in scalars.randomElement(using: &generator) ?? "a" }))
    case 5: return .array((0..<3).map { _ in random(depth: depth - 1, using: &generator) })
    default:
      return .object(JSONObject((0..<3).map { ("k\($0)", random(depth: depth - 1, using: &generator)) }))
    }
  }
}
