import Foundation
import Machines
import Signaling
import TestSupport
import Testing

@Suite struct JSONWriterTests {
  /// The rules of the text, spelled out: what clients have always been sent.
  private static func text(_ value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let bool): "\(bool)"
    case .integer(let integer): "\(integer)"
    case .number(let number): number.isFinite ? "\(number)" : "null"
    case .string(let string): quoted(string)
    case .array(let elements): "[" + elements.map(text).joined(separator: ",") + "]"
    case .object(let object):
      "{" + object.members.map { quoted($0.name) + ":" + text($0.value) }.joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ string: String) -> String {
    var text = String.UnicodeScalarView()
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += ["\\", scalar]
      case "\n": text += ["\\", "n"]
      case "\r": text += ["\\", "r"]
      case "\t": text += ["\\", "t"]
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u00\(digits.count == 1 ? "0" : "")\(digits)".unicodeScalars
      default: text.append(scalar)
      }
    }
    return "\"\(String(text))\""
  }

  private static let pieces = [
    "", "a", "Blue in Green", "\"", "\\", "\n", "\r\n", "\t", "\u{0}", "\u{1}", "\u{1F}", "\u{7F}", "é", "e\u{301}",
    "日本", "👩‍👩‍👧", "\u{2028}", "\u{FFFD}", "\u{10FFFF}", "/", "</script>", String(repeating: "x", count: 300),
  ]

  private static func string(using generator: inout SeededRandom) -> String {
    (0..<Int.random(in: 0...6, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
  }

  private static func value(_ depth: Int, using generator: inout SeededRandom) -> JSONValue {
    switch Int.random(in: 0...(depth == 0 ? 5 : 7), using: &generator) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &generator))
    case 2:
      // All lengths.
      let integer = Int64(bitPattern: UInt64.random(in: .min ... .max, using: &generator))
      return .integer(integer >> Int64.random(in: 0...63, using: &generator))
    case 3: return .number(Double(bitPattern: UInt64.random(in: .min ... .max, using: &generator)))
    case 4: return .measure(Double(Int.random(in: -96_000...96_000, using: &generator)) / 48_000)
    case 5: return .string(string(using: &generator))
    case 6:
      var elements: [JSONValue] = []
      for _ in 0..<Int.random(in: 0...4, using: &generator) { elements.append(value(depth - 1, using: &generator)) }
      return .array(elements)
    default:
      var object = JSONObject()
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        object[string(using: &generator)] = value(depth - 1, using: &generator)
      }
      return .object(object)
    }
  }

  @Test func everyValueHasTheTextThatClientsHaveAlwaysBeenSent() throws {
    var generator = SeededRandom(18)
    for _ in 0..<3_000 {
      let value = JSONWriterTests.value(3, using: &generator)
      let text = JSONWriterTests.text(value)
      #expect(Array(text.utf8) == value.bytes)
    }
  }

  @Test(arguments: [0, 1, -1, 9, 10, 99, 100, -10, 1_000_000, .max, .min] as [Int64])
  func wholeNumbers(number: Int64) {
    #expect(JSONValue.integer(number).text == "\(number)")
  }

  @Test func otherReadersUnderstandEscapes() throws {
    let all = String(String.UnicodeScalarView((0..<0x180).compactMap(Unicode.Scalar.init)))
    let data = Data(JSONValue.array([.string(all)]).bytes)
    #expect(try JSONSerialization.jsonObject(with: data) as? [String] == [all])
  }

  @Test func memoryGrowsWithTheText() {
    var writer = JSONWriter(capacity: 0)
    let long = String(repeating: "\u{1}", count: 100_000)
    writer.array(Array(repeating: long, count: 3)) { $0.string($1) }
    let one = "\"" + String(repeating: "\\u0001", count: 100_000) + "\""
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "[\(one),\(one),\(one)]")
  }
}
