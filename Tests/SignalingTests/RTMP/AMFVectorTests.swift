import Foundation
import Testing

@testable import Signaling

@Suite struct AMFVectorTests {
  /// What the rows of both files mean, by their names.
  private static let meanings: [String: AMFValue] = [
    "number_0": 0, "number_1": 1, "number_neg": -3.5, "number_big": 9_007_199_254_740_992,
    "number_inf": .number(.infinity), "true": true, "false": false, "null": .null, "undefined": .undefined,
    "string_empty": "", "string_ascii": "hello", "string_utf8": "héllo привет 🎸",
    "object": ["a": 1], "object_nested": ["o": ["s": "x", "n": .null]], "object_empty": [:],
    "array_strict": [1, "two", true, .null], "array_empty": [], "array_nested": [[1], [2]],
    "date": .date(milliseconds: 1_500_000_000_500), "date_tz": .date(milliseconds: 1_500_000_000_500),
    "typed": .object([AMFMember("x", 1), AMFMember("y", 2)], className: "demo.Pt"),
    "reference": [["k": "v"], ["k": "v"]],
    "ecma": .array([], named: [AMFMember("a", 1), AMFMember("b", "two")]),
    "avmplus_object": ["a": 1], "ecma_count_wrong": .array([], named: [AMFMember("a", 1)]), "bool_nonzero": true,
    "unsupported": .undefined, "xml": .xml("<a/>"), "ios_empty_string_at_end": "",
    "ios_map_terminator": .array([], named: [AMFMember("k", "one")]),
    "ios_typed_terminator": .object([], className: "CLPoint"), "ios_nsdata": .bytes([1, 2, 255]),
    "int_0": 0, "int_127": 127, "int_128": 128, "int_16383": 16_383, "int_16384": 16_384, "int_2097151": 2_097_151,
    "int_2097152": 2_097_152, "int_max": 268_435_455, "int_max_plus_1": 268_435_456, "int_neg1": -1,
    "int_min": -268_435_456, "int_min_minus_1": -268_435_457, "bytearray": .bytes([1, 2, 255]),
    "string_ref": ["abc", "abc", "", ""],
    "traits_ref": [
      .object([AMFMember("x", 1), AMFMember("y", 2)], className: "demo.Pt"),
      .object([AMFMember("x", 3), AMFMember("y", 4)], className: "demo.Pt"),
    ],
  ]

  /// Rows that were shortened in the file ("…"): their bytes made again.
  private static func bytes(_ row: RTMPVectors.Value) -> [UInt8] {
    guard row.hex.hasSuffix("...") else { return Hex.bytes(row.hex) }
    let count = row.name == "string_65535" ? 65_535 : 65_536
    let head = Hex.bytes(row.hex).prefix { $0 != UInt8(ascii: "x") }
    return head + [UInt8](repeating: UInt8(ascii: "x"), count: count)
  }

  @Test(arguments: ["amf0.json", "amf3.json"])
  func everyValueOfTheVectorsMeansWhatItsNameSays(file: String) throws {
    let rows = try RTMPVectors.read(file, as: RTMPVectors.Value.self)
    #expect(rows.count > 30)
    for row in rows {
      let bytes = AMFVectorTests.bytes(row)
      let sequence = AMFSequence(ByteReader(file == "amf3.json" ? [0x11] + bytes : bytes))
      switch row.name {
      case "ref_dangling": #expect(sequence.failure == .reference(5))
      case "number_nan": #expect(sequence.values.first?.number?.isNaN == true)
      case "string_65535", "string_65536":
        #expect(sequence.values.first?.string?.utf8.count == (row.name == "string_65535" ? 65_535 : 65_536))
        if file == "amf0.json" { #expect(AMFWriter.bytes(sequence.values) == bytes) }
      default:
        #expect(sequence.failure == nil, "\(row.name)")
        #expect(sequence.values == [try #require(AMFVectorTests.meanings[row.name], "\(row.name)")], "\(row.name)")
      }
    }
  }

  @Test func whatIsWrittenIsWhatTheVectorsHave() throws {
    let different = [
      "reference", "ecma", "ecma_count_wrong", "bool_nonzero", "date_tz", "unsupported", "ref_dangling",
      "avmplus_object", "string_65535", "string_65536", "number_nan",
    ]
    for row in try RTMPVectors.read("amf0.json", as: RTMPVectors.Value.self)
    where !different.contains(row.name) && !(row.name.hasPrefix("ios_") && row.name != "ios_nsdata") {
      let value = try #require(AMFVectorTests.meanings[row.name])
      #expect(Hex.text(AMFWriter.bytes([value])) == row.hex, "\(row.name)")
    }
  }

  @Test func formsOfTheIOSLibraryAreOnlyTakenByTheSecondPass() throws {
    for row in try RTMPVectors.read("amf0.json", as: RTMPVectors.Value.self)
    where row.name.hasPrefix("ios_") && row.name != "ios_nsdata" {
      var strict = AMFReader(Hex.bytes(row.hex))
      #expect(throws: AMFError.self, "\(row.name)") { try strict.value() }
    }
  }

  @Test func hostileValuesAreRefusedAndStrangeOnesTaken() throws {
    let taken: [String: AMFValue] = [
      "ecma array count 4 billion, one pair": .array([], named: [AMFMember("a", .null)]),
      "invalid UTF-8": "\u{FFFD}(", "NUL in string": "a\u{0}b", "duplicate keys": ["a": "x"],
      "key __proto__ / 64 KiB keys": ["__proto__": .null],
    ]
    let rows = try RTMPVectors.read("malformed.json", as: RTMPVectors.Value.self)
    #expect(rows.count == 28)
    for row in rows {
      let sequence = AMFSequence(ByteReader(Hex.bytes(row.hex)))
      if let value = taken[row.name] {
        #expect(sequence.failure == nil && sequence.values == [value], "\(row.name)")
      } else {
        #expect(sequence.failure != nil, "\(row.name): \(sequence.values)")
      }
    }
  }
}
