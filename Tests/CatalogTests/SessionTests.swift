import Music
import Testing

@testable import Catalog

@Suite struct SessionTests {
  let shelf: Shelf
  let catalog: SQLiteCatalog

  init() throws {
    shelf = try Shelf()
    catalog = try shelf.open()
  }

  @Test func aSessionOpensAndCloses() async throws {
    var session = try Example.session()
    try await catalog.open(session)
    #expect(try await catalog.session(session.id) == session)
    session.endedAt = Example.time(90)
    try await catalog.close(session.id, at: Example.time(90))
    #expect(try await catalog.session(session.id) == session)
  }

  @Test func sessionsThatAKilledProcessLeftEndWithTheirLastTake() async throws {
    let played = try Example.session(at: 0)
    let silent = try Example.session(at: 10)
    var over = try Example.session(at: 20)
    over.endedAt = Example.time(30)
    for session in [played, silent, over] { try await catalog.open(session) }
    for second in [100, 300, 200] as [Int64] {
      try await catalog.store(Example.take(played, at: second, state: .rolling), tracks: [], cues: [])
    }
    try await catalog.closeLeftSessions()
    #expect(try await catalog.session(played.id)?.endedAt == Example.time(300))
    #expect(try await catalog.session(silent.id)?.endedAt == silent.startedAt)
    #expect(try await catalog.session(over.id)?.endedAt == Example.time(30))
  }

  @Test func anUnknownSessionIsNotClosed() async throws {
    let id = SessionID(at: Example.noon)
    await #expect(throws: CatalogError.unknownSession(id)) { try await catalog.close(id, at: Example.noon) }
    #expect(try await catalog.session(id) == nil)
  }

  @Test func aSessionOfWhichOnlyTakesAreKnownBeginsWithTheFirst() async throws {
    let session = try Example.session(at: 0)
    for second in [300, 100, 200] as [Int64] {
      let take = Example.take(session, at: second, state: .ready)
      try await catalog.store(take, tracks: [], cues: [])
    }
    #expect(try await catalog.session(session.id)?.startedAt == Example.time(100))
    try await catalog.open(session)
    #expect(try await catalog.session(session.id)?.startedAt == Example.time(0))
  }

  @Test func openingAgainDoesNotForgetTheEnd() async throws {
    let session = try Example.session()
    try await catalog.open(session)
    try await catalog.close(session.id, at: Example.time(5))
    try await catalog.open(session)
    #expect(try await catalog.session(session.id)?.endedAt == Example.time(5))
  }

  @Test func roomsAreListedOnceInTheirOrder() async throws {
    for name in ["Zoo", "Attic", "Café", "Cafe\u{301}", "attic", "Attic", "Éclair"] {
      try await catalog.open(try Example.session(name))
    }
    let expected = try ["Zoo", "Attic", "Café", "attic", "Éclair"].map(Example.room).sorted()
    #expect(try await catalog.rooms() == expected)
  }

  @Test func aRoomIsFoundHoweverItsNameIsComposed() async throws {
    let take = try Example.finished("Café")
    try await catalog.store(take, tracks: [], cues: [])
    let query = TakeQuery(room: try Example.room("Cafe\u{301}"))
    #expect(try await catalog.takes(query).items.map(\.id) == [take.id])
  }
}
