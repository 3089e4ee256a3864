import GRDB
import Music
import TestSupport
import Testing

@testable import Catalog

@Suite struct DamageTests {
  let shelf: Shelf
  /// A sound file with 150 takes.
  let sound: [UInt8]
  private static let aside = "catalog.db.damaged-\(Example.noon)".replacing(":", with: "-")
  /// Bytes per page, SQLite's default.
  private static let page = 4_096

  init() async throws {
    shelf = try Shelf()
    let catalog = try shelf.open()
    let session = try Example.session()
    try await catalog.write { database in
      for index in 1...150 {
        let take = Example.take(session, at: Int64(index), number: index, state: .ready)
        _ = try TakeRecord.store(take, TakeRecord.References(of: take, in: database), in: database)
      }
    }
    try catalog.close()
    sound = try shelf.bytes
  }

  /// Opens the damaged bytes and expects them to be set aside whole, with an empty index in their place.
  private func expectReplacement(of bytes: [UInt8]) async throws {
    try shelf.write(bytes)
    let catalog = try shelf.open()
    guard case .replaced(let damage) = catalog.origin else {
      Issue.record("the damage was not noticed: \(catalog.origin)")
      return
    }
    #expect(catalog.origin.needsRebuild)
    #expect(damage.path == shelf.folder + "/" + DamageTests.aside)
    #expect(!damage.findings.isEmpty && damage.findings.count <= 10)
    #expect(try shelf.files.contains(DamageTests.aside))

    #expect(try await catalog.takes(TakeQuery()).items.isEmpty)
    let take = try Example.finished()
    try await catalog.store(take, tracks: [], cues: [])
    try catalog.close()
    let reopened = try shelf.open()
    #expect(reopened.origin == .existing)
    #expect(try await reopened.take(take.id) == take)
  }

  @Test func aBrokenHeaderIsNoticed() async throws {
    var bytes = sound
    bytes[0] ^= 0xFF
    try await expectReplacement(of: bytes)
  }

  @Test func aBrokenSchemaPageIsNoticed() async throws {
    var bytes = sound
    bytes[100] = 0x77
    try await expectReplacement(of: bytes)
  }

  /// Nothing reads these pages before somebody asks for a take: only the check at the start finds them.
  @Test(arguments: ["takes", "takes_by_room_song", "rooms", "tracks", "gaps"])
  func aBrokenPageOfATableOrIndexIsNoticed(name: String) async throws {
    let catalog = try shelf.open()
    let root = try await catalog.read {
      try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_master WHERE name = ?", arguments: [name])
    }
    try catalog.close()
    let start = (try #require(root) - 1) * DamageTests.page
    var bytes = sound
    // The page's type and the places of its cells.
    for offset in start..<start + 16 { bytes[offset] = 0xA5 }
    try await expectReplacement(of: bytes)
  }

  @Test func aCutFileIsNoticed() async throws {
    try await expectReplacement(of: Array(sound.prefix(sound.count / 2)))
  }

  @Test func randomBytesAreNoticed() async throws {
    var generator = SeededRandom(2)
    try await expectReplacement(of: (0..<20_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  @Test func textIsNoticed() async throws {
    try await expectReplacement(of: Array("this is not the file you are looking for".utf8))
  }

  @Test func aSecondDamageInTheSameInstantDoesNotOverwriteTheFirst() async throws {
    try await expectReplacement(of: Array("first".utf8))
    for suffix in ["-wal", "-shm"] { try? Shelf.remove(shelf.path + suffix) }
    try shelf.write(Array("second".utf8))
    guard case .replaced(let damage) = try shelf.open().origin else {
      Issue.record("the damage was not noticed")
      return
    }
    #expect(damage.path == shelf.folder + "/" + DamageTests.aside + "-2")
    #expect(try shelf.files.contains(DamageTests.aside))
  }

  /// Not every flipped byte can be noticed (SQLite keeps no check sums), but none may end the process, and what is
  /// noticed only in use is told.
  @Test func flippedBytesNeverTrap() async throws {
    var generator = SeededRandom(3)
    var replaced = 0
    for _ in 0..<40 {
      let shelf = try Shelf()
      var bytes = sound
      for _ in 0..<Int.random(in: 1...40, using: &generator) {
        bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: .min ... .max, using: &generator)
      }
      try shelf.write(bytes)
      do {
        let catalog = try shelf.open()
        if case .replaced = catalog.origin { replaced += 1 }
        var query = TakeQuery(limit: 200)
        for _ in 0..<3 {
          let page = try await catalog.takes(query)
          for take in page.items.prefix(5) { _ = try await catalog.tracks(of: take.id) }
          guard let next = page.next else { break }
          query.cursor = next
        }
        _ = try await catalog.rooms()
        _ = try await catalog.unfinishedTakes()
        try await catalog.store(try Example.finished(), tracks: [], cues: [])
        try catalog.close()
      } catch let error as CatalogError {
        #expect(["damaged", "conflict", "not-a-catalog", "newer-schema", "storage"].contains(error.code), "\(error)")
      }
    }
    #expect(replaced > 0)
  }

  @Test func aWordThatWasNeverWrittenIsDamage() async throws {
    try shelf.write(sound)
    let catalog = try shelf.open()
    try await catalog.write { try $0.execute(sql: "UPDATE takes SET state = 'rexdy' WHERE number = 7") }
    let id = try await catalog.read { try TakeID.fetchOne($0, sql: "SELECT id FROM takes WHERE number = 7") }
    let take = try #require(id)
    let told = await #expect(throws: CatalogError.self) { try await catalog.take(take) }
    #expect(told?.code == "damaged")
  }
}
