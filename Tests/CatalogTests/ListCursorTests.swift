import Machines
import Music
import TestSupport
import Testing

@testable import Catalog

@Suite struct ListCursorTests {
  private let cursor = ListCursor(.newestTakes, number: Example.noon.milliseconds, id: TakeID(at: Example.noon).ulid)

  @Test func aCursorSurvivesItsText() throws {
    let early = ListCursor(.newestTakes, number: -1)
    for cursor in [cursor, early] {
      #expect(try ListCursor(cursor.text, of: .newestTakes) == cursor)
      #expect(cursor.text.utf8.count == 36)
    }
  }

  @Test func everyChangedCharacterIsNoticed() {
    let text = Array(cursor.text)
    for index in text.indices {
      for other in ["A", "z", "-", "=", "é"] as [Character] where other != text[index] {
        var changed = text
        changed[index] = other
        #expect(throws: CatalogError.self, "character \(index) as \(other)") {
          try ListCursor(String(changed), of: .newestTakes)
        }
      }
    }
  }

  @Test func cutAndLengthenedCursorsAreRefused() {
    let text = cursor.text
    for length in 0..<text.count {
      #expect(throws: CatalogError.self) { try ListCursor(String(text.prefix(length)), of: .newestTakes) }
    }
    for addition in ["=", "A", "AAAA", " ", text, String(repeating: "A", count: 1_000_000)] {
      #expect(throws: CatalogError.self) { try ListCursor(text + addition, of: .newestTakes) }
    }
  }

  @Test func theRefusalSaysWhatToDo() {
    let error = CatalogError.invalidCursor("forged")
    #expect(
      error.description
        == "\"forged\" is no cursor of this list; begin without one and pass on what \"next\" says")
  }

  @Test func anotherKindOfListIsRefused() throws {
    var bytes = try #require(Base64.url.decode(cursor.text))
    bytes[0] = 2
    #expect(throws: CatalogError.self) { try ListCursor(Base64.url.encode(bytes), of: .newestTakes) }
  }

  /// Its sum is no secret: anybody who may read a list can make one.
  @Test(arguments: [Int64.min, .min + 1, .max - 1, .max])
  func aNumberAtTheEndOfItsRangeIsRefused(number: Int64) {
    for kind in ListCursor.Kind.allCases {
      #expect(throws: CatalogError.self) { try ListCursor(ListCursor(kind, number: number).text, of: kind) }
    }
  }

  @Test(arguments: TakeQuery.Sort.allCases)
  func aForgedCursorOfASearchIsAnErrorAndNoTrap(sort: TakeQuery.Sort) async throws {
    let shelf = try Shelf()
    let catalog = try shelf.open()
    for kind in ListCursor.Kind.allCases {
      for number in [Int64.min, .max] {
        let query = TakeQuery(text: "blue", sort: sort, cursor: ListCursor(kind, number: number).text)
        await #expect(throws: CatalogError.self) { try await catalog.takes(query) }
      }
    }
    #expect(try shelf.files.contains("catalog.db"))
  }

  @Test func randomTextIsNeverACursor() {
    var generator = SeededRandom(4)
    for _ in 0..<2_000 {
      let bytes = (0..<36).map { _ in UInt8.random(in: 0x20...0x7E, using: &generator) }
      #expect(throws: CatalogError.self) { try ListCursor(String(decoding: bytes, as: UTF8.self), of: .newestTakes) }
    }
  }
}
