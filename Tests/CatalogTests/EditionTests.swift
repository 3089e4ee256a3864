import Foundation
import GRDB
import Music
import TestSupport
import Testing

@testable import Catalog

/// The number of the index that entity tags of lists are made of, and reading on the caller's thread.
@Suite struct EditionTests {
  private let shelf: Shelf
  private let catalog: SQLiteCatalog

  init() throws {
    shelf = try Shelf()
    catalog = try shelf.open()
  }

  private func edition() throws -> UInt64 { try #require(catalog.edition) }

  /// A busy machine may take the thread away for longer than one quick read may last.
  private func atOnce(_ query: TakeQuery) throws -> PageText {
    for _ in 0..<1_000 { if let page = try catalog.takeTextAtOnce(query) { return page } }
    return try #require(try catalog.takeTextAtOnce(query))
  }

  @Test func everyKindOfEditChangesIt() async throws {
    let session = try Example.session()
    var wish = Example.take(session)
    wish.folder = "to be chosen"
    let person = try Example.participant("Ann")
    let song = Example.song("Blue in Green")
    var take = wish
    var seen = [try edition()]

    func expectChange(_ what: String) throws {
      let now = try edition()
      #expect(!seen.contains(now), "\(what)")
      #expect(try edition() == now, "nothing changed after: \(what)")
      seen.append(now)
    }
    try await catalog.open(session)
    try expectChange("a session")
    take = try await catalog.create(wish, songTitle: song.title) { "takes/\($0.id)" }
    try expectChange("a take")
    try await catalog.setState(of: take.id, to: .rendering)
    try expectChange("a state")
    take.state = .ready
    take.annotations.notes = "the end"
    let track = Example.track(take, 1, person)
    try await catalog.store(take, tracks: [track], cues: [])
    try expectChange("annotations and tracks")
    let cue = Cue(id: CueID(at: Example.noon), position: .zero, text: "bridge")
    try await catalog.store(take, tracks: [track], cues: [cue])
    try expectChange("a cue")
    var stored = try #require(take.song)
    stored.title = "Green in Blue"
    try await catalog.store(stored)
    try expectChange("a song's title")
    var known = try #require(try await catalog.person(person.id))
    known.givenName = try DisplayName(checking: "Anna")
    try await catalog.store(known)
    try expectChange("a person's name")
    try await catalog.close(session.id, at: Example.time(60))
    try expectChange("a session's end")
    try await catalog.remove(take.id)
    try expectChange("a removed take")
    #expect(try await catalog.remove(stored.id))
    try expectChange("a removed song")
  }

  @Test func readingAndCheckingDoNotChangeIt() async throws {
    try await catalog.store(try Example.finished(), tracks: [], cues: [])
    let before = try edition()
    _ = try await catalog.takes(TakeQuery())
    _ = try catalog.takeTextAtOnce(TakeQuery())
    try await catalog.checkWritable()
    #expect(try edition() == before)
  }

  @Test func anotherProcessChangesItAndHasNumbersOfItsOwn() async throws {
    let take = try Example.finished()
    try await catalog.store(take, tracks: [], cues: [])
    let before = try edition()
    let commandLine = try SQLiteCatalog.open(beside: shelf.path, forReadingOnly: false)
    #expect(try #require(commandLine.edition) != before)
    #expect(try edition() == before)
    try await commandLine.setState(of: take.id, to: .rendering)
    #expect(try edition() != before)
    #expect(try await catalog.takeText(TakeQuery()).items.contains(Array("\"rendering\"".utf8)))
  }

  @Test func aRebuiltIndexNeverRepeatsOne() async throws {
    try await catalog.store(try Example.finished(), tracks: [], cues: [])
    let before = try edition()
    try catalog.close()
    let fresh = try SQLiteCatalog.fresh(at: shelf.path + ".new", now: Example.noon)
    try await fresh.store(try Example.finished(), tracks: [], cues: [])
    try fresh.replace(shelf.path)
    let rebuilt = try shelf.open()
    #expect(try #require(rebuilt.edition) != before)
    #expect(try await rebuilt.takes(TakeQuery()).items.count == 1)
  }

  @Test func aClosedIndexHasNone() throws {
    try catalog.close()
    #expect(catalog.edition == nil)
    #expect(try catalog.takeTextAtOnce(TakeQuery()) == nil)
  }

  /// With one core there is no thread to spare, and nothing is read at once.
  @Test(.enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1))
  func takesAtOnceAreThoseThatAreAwaited() async throws {
    for second in 0..<30 {
      var take = try Example.finished(second % 2 == 0 ? "Cellar" : "Größe & Co", at: Int64(second))
      take.annotations = TakeAnnotations(
        title: second % 3 == 0 ? "Ein \"Titel\"\n" : nil, rating: second % 6 == 0 ? nil : second % 6,
        isFavourite: second % 2 == 0, notes: second % 5 == 0 ? "日本 👩‍👩‍👧" : nil, tags: second % 4 == 0 ? ["a", "B"] : [])
      take.loudness = second % 7 == 0 ? nil : -18.25
      try await catalog.store(take, tracks: [], cues: [])
    }
    let room = try Example.room("Größe & Co")
    for query in [
      TakeQuery(), TakeQuery(limit: 7), TakeQuery(room: room, limit: 4), TakeQuery(sort: .bestRated, limit: 9),
      TakeQuery(text: "titel"), TakeQuery(room: room, text: "titel", limit: 2), TakeQuery(state: .failed),
      TakeQuery(minimumRating: 3, sort: .oldest), TakeQuery(shelf: .deleted), TakeQuery(tag: "b"),
    ] {
      var query = query
      for _ in 0..<5 {
        let awaited = try await catalog.takeText(query)
        #expect(try atOnce(query) == awaited)
        let page = try await catalog.takes(query)
        #expect(awaited.next == page.next)
        let text = String(decoding: awaited.items, as: UTF8.self)
        #expect(page.items.allSatisfy { text.contains("\"\($0.id)\"") })
        query.cursor = awaited.next
        if query.cursor == nil { break }
      }
    }
  }

  @Test func refusalsAreTheSame() {
    #expect(throws: CatalogError.limitOutOfRange(0)) { try catalog.takeTextAtOnce(TakeQuery(limit: 0)) }
    #expect(throws: CatalogError.invalidCursor("x")) { try catalog.takeTextAtOnce(TakeQuery(cursor: "x")) }
    #expect(throws: CatalogError.unsupportedSort(.longest)) {
      try catalog.takeTextAtOnce(TakeQuery(isFavourite: true, sort: .longest))
    }
  }

  /// What a search of a huge index could do to the thread of its caller. Without the limit this would not end.
  @Test func whatTakesLongIsGivenUp() throws {
    let endless = "WITH RECURSIVE count (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM count) SELECT max(x) FROM count"
    let value: Int?? = try catalog.readAtOnce { try Int.fetchOne($0, sql: endless) }
    #expect((value ?? nil) == nil)
    // The connection goes on working.
    if ProcessInfo.processInfo.activeProcessorCount > 1 { _ = try atOnce(TakeQuery()) }
    #expect(catalog.edition != nil)
  }

  /// SQLite does not look at the clock while it intersects their lists.
  @Test(.enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1))
  func aSearchOfManyWordsIsLeftToTheThreadsOfTheIndex() async throws {
    try await catalog.store(try Example.finished(), tracks: [], cues: [])
    _ = try atOnce(TakeQuery(text: "one two three four"))
    let many = try TakeCondition(reading: "(one OR two) -(three OR four)", now: Example.noon)
    for query in [TakeQuery(text: "one two three four five"), TakeQuery(condition: many)] {
      for _ in 0..<20 { #expect(try catalog.takeTextAtOnce(query) == nil) }
      #expect(try await catalog.takeText(query).next == nil)
    }
  }

  @Test func aLockedFileIsNotWaitedFor() async throws {
    let take = try Example.finished()
    try await catalog.store(take, tracks: [], cues: [])
    // A writer of another process in the middle of its transaction.
    let other = try DatabaseQueue(path: shelf.path)
    func change() throws {
      try other.writeWithoutTransaction { database in
        try database.execute(sql: "BEGIN IMMEDIATE; UPDATE takes SET revision = 7")
        // Readers see what was before, and the number of then.
        let before = catalog.edition
        let text = try catalog.takeTextAtOnce(TakeQuery())
        #expect(text?.items.contains(Array("\"revision\":1}".utf8)) != false)
        try database.execute(sql: "COMMIT")
        #expect(catalog.edition != before)
      }
    }
    try change()
    #expect(try await catalog.takes(TakeQuery()).items.map(\.revision) == [7])
  }
}
