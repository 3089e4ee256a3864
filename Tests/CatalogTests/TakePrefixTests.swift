import Music
import Testing

@testable import Catalog

@Suite struct TakePrefixTests {
  let shelf: Shelf
  let catalog: SQLiteCatalog
  let takes: [Take]

  init() async throws {
    shelf = try Shelf()
    catalog = try shelf.open()
    // Two within the same 17 minutes, which begin alike for six characters, and one of another year.
    takes = try [0, 1, -40_000_000].map { try Example.finished(at: $0) }
    for take in takes { try await catalog.store(take, tracks: [], cues: []) }
  }

  @Test func aWholeIdentifierFindsItsTake() async throws {
    for take in takes {
      #expect(try await catalog.takes(beginningWith: take.id.description) == [take])
      #expect(try await catalog.takes(beginningWith: take.id.description.lowercased()) == [take])
    }
  }

  @Test func aBeginningFindsAllThatBeginSoTheNewestFirst() async throws {
    let prefix = String(takes[0].id.description.prefix(6))
    #expect(try await catalog.takes(beginningWith: prefix) == [takes[1], takes[0]])
    #expect(try await catalog.takes(beginningWith: prefix, limit: 1) == [takes[1]])
    #expect(try await catalog.takes(beginningWith: String(takes[2].id.description.prefix(6))) == [takes[2]])
  }

  @Test(arguments: ["", "!", "ZZZZZZ", "01JU", "DROP TABLE takes", "01J\u{0}", String(repeating: "0", count: 27), "é"])
  func whatNoTakeBeginsWithFindsNone(text: String) async throws {
    #expect(try await catalog.takes(beginningWith: text).isEmpty)
  }

  @Test func anIndexIsOpenedBesideTheServiceThatWritesIt() async throws {
    let beside = try SQLiteCatalog.open(beside: shelf.path, forReadingOnly: true)
    #expect(try await beside.take(takes[0].id) == takes[0])
    let later = try Example.finished(at: 50)
    try await catalog.store(later, tracks: [], cues: [])
    #expect(try await beside.take(later.id) == later)
    await #expect(throws: CatalogError.self) { try await beside.store(later, tracks: [], cues: []) }
    try beside.close()
    #expect(try await catalog.take(later.id) == later)
  }

  @Test func anIndexIsReadWhenNoServiceRuns() async throws {
    try catalog.close()
    let beside = try SQLiteCatalog.open(beside: shelf.path, forReadingOnly: true)
    #expect(try await beside.takes(TakeQuery(limit: 10)).items.count == takes.count)
    try beside.close()
    #expect(try shelf.open().origin == .existing)
  }

  @Test func anIndexThatIsNotThereIsNotMadeAndADamagedOneStays() throws {
    let empty = try Shelf()
    for reads in [true, false] {
      #expect(throws: CatalogError.self) { try SQLiteCatalog.open(beside: empty.path, forReadingOnly: reads) }
    }
    #expect(try empty.files.isEmpty)
    let rubbish = [UInt8](repeating: 0x2A, count: 4_096)
    try empty.write(rubbish)
    #expect(throws: CatalogError.self) { try SQLiteCatalog.open(beside: empty.path, forReadingOnly: true) }
    #expect(try empty.bytes == rubbish)
  }
}
