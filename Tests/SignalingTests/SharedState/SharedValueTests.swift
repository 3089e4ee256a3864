import TestSupport
import Testing

@testable import Signaling

@Suite struct SharedValueTests {
  private static let values: [SharedValue] = [
    .null, .bool(true), .number(0), .number(-1.5), .number(1e300), .number(9_007_199_254_740_994),
    .number(.infinity), .number(-.infinity), .string(""), .string("\u{0}\"🎸"), .date(1_795_229_769_123.25),
    .date(.infinity), .bytes([]), .bytes([0]), .bytes([0, 255]), .bytes([1, 2, 3]), .bytes([1, 2, 3, 4]), .array([]),
    .array([.null, .array([.bytes([9])])]), .object([:]), .object(["": .null, "$date": .number(1), "$$": .null]),
    .object(["$bytes": .string("AA==")]), .object(["x": .object(["$class": .bool(false)])]),
    .object(SharedFields([("a", .number(1)), ("$b", .date(0))], className: "com.example.Chord")),
    .object(SharedFields([], className: "$Empty")),
  ]

  @Test(arguments: values) func comesBackFromJSONAsItWas(value: SharedValue) throws {
    let text = value.json.text
    #expect(try SharedValue(JSONValue(parsing: text)) == value, "\(text)")
  }

  @Test func whatIsNoNumberComesBackAsThat() throws {
    guard case .number(let number) = try SharedValue(SharedValue.number(.nan).json) else {
      Issue.record("no number")
      return
    }
    #expect(number.isNaN)
  }

  @Test(arguments: [
    #"{"$date":"today"}"#, #"{"$date":null}"#, #"{"$bytes":"a"}"#, #"{"$bytes":"AB=="}"#, #"{"$bytes":"AA==AA=="}"#,
    #"{"$bytes":5}"#, #"{"$number":"1"}"#, #"{"$class":5}"#, #"{"$what":5}"#, #"{"a":1,"$date":5}"#,
    #"[[{"$date":true}]]"#,
  ])
  func whatMeansNothingIsRefused(text: String) throws {
    let json = try JSONValue(parsing: text)
    #expect(throws: RoomRefusal.self) { try SharedValue(json) }
  }

  @Test func aMemberThatComesTwiceIsOne() {
    let fields = SharedFields([("a", .number(1)), ("b", .null), ("a", .number(2))])
    #expect(fields.members.map(\.name) == ["a", "b"] && fields["a"] == .number(2))
  }

  @Test func mergesAsRFC7396Says() throws {
    // The examples of its appendix A that do not replace the document by a list.
    for (target, patch, result) in [
      (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
      (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
      (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
      (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
      (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
      (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#), ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ] {
      func read(_ text: String) throws -> SharedValue { try SharedValue(JSONValue(parsing: text)) }
      #expect(try read(target).merged(with: read(patch)) == read(result), "\(target) \(patch)")
    }
  }

  @Test func randomTextsNeverTrap() {
    var generator = SeededRandom(19)
    let parts = [
      "{", "}", "[", "]", "\"$date\":", "\"$bytes\":", "\"$class\":", "\"a\":", "1", "\"AA==\"", ",", "null", "\"$$\":",
    ]
    var read = 0
    for _ in 0..<2_000 {
      let text = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
        parts[Int.random(in: 0..<parts.count, using: &generator)]
      }.joined()
      guard let json = try? JSONValue(parsing: text), let value = try? SharedValue(json) else { continue }
      read += 1
      #expect((try? SharedValue(value.json)) == value)
    }
    #expect(read > 20)
  }
}
