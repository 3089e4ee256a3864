import Music
import Testing

@testable import Recording

/// The chunks of cues, byte by byte (RIFF: sizes do not count the byte that makes a chunk even).
@Suite struct MarkerTests {
  /// The `labl` chunks of a list, read by the rules of RIFF.
  private func labels(_ list: [UInt8]) throws -> [(number: Int, text: [UInt8])] {
    #expect(Array(list.prefix(4)) == Array("adtl".utf8))
    var labels: [(Int, [UInt8])] = []
    var place = 4
    while place < list.count {
      try #require(place % 2 == 0 && place + 12 <= list.count)
      #expect(Array(list[place..<place + 4]) == Array("labl".utf8))
      let size = number(list, place + 4)
      try #require(size >= 5 && place + 8 + size <= list.count)
      labels.append((number(list, place + 8), Array(list[place + 12..<place + 8 + size])))
      place += 8 + size + size % 2
    }
    #expect(place == list.count)
    return labels
  }

  private func number(_ bytes: [UInt8], _ place: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << ($1 * 8) }
  }

  @Test(arguments: 0..<9, 0..<9) func theListIsWholeWhateverTheLengthsOfItsTexts(first: Int, last: Int) throws {
    let texts = [String(repeating: "a", count: first), String(repeating: "é", count: last)]
    let chunks = texts.enumerated().map { Marker(frame: Int64($0) * 100, text: $1) }.chunks
    #expect(chunks.map(\.identifier) == ["cue ", "LIST"])
    // libsndfile would fill the body up with zeros that no chunk counts.
    #expect(chunks.allSatisfy { $0.bytes.count % 4 == 0 })
    let found = try labels(chunks[1].bytes)
    #expect(found.map(\.number) == [1, 2])
    // One zero ends a text: readers take a second one for the beginning of the next chunk.
    #expect(found[0].text == Array(texts[0].utf8) + [0])
    #expect(found[1].text.starts(with: Array(texts[1].utf8) + [0]))
    #expect(found[1].text.dropFirst(texts[1].utf8.count).allSatisfy { $0 == 0 })
    #expect(found[1].text.count <= texts[1].utf8.count + 4)
  }

  @Test func longTextsEndBetweenCharactersAndZerosAreLeftOut() throws {
    let chunks = [Marker(frame: 0, text: "a\0b"), Marker(frame: 1, text: String(repeating: "👩‍🚀", count: 40))].chunks
    let found = try labels(chunks[1].bytes)
    #expect(found[0].text == Array("ab".utf8) + [0])
    // Eleven bytes a character, at most 96.
    #expect(String(decoding: found[1].text.prefix { $0 != 0 }, as: UTF8.self) == String(repeating: "👩‍🚀", count: 8))
  }

  @Test func noMarkersAreNoChunks() {
    #expect([Marker]().chunks.isEmpty)
    #expect([Marker(frame: -1, text: "x")].chunks.isEmpty)
  }

  @Test(
    arguments: [
      (-16.0, -1_600), (-0.004, 0), (-99.99, -9_999), (-100, 0x7FFF), (nil, 0x7FFF), (.nan, 0x7FFF),
      (-.infinity, 0x7FFF),
    ] as [(Double?, Int16)])
  func aLevelThatTheStampCannotSayIsUnknown(level: Double?, value: Int16) {
    #expect(BroadcastStamp.hundredths(level) == value)
  }
}
