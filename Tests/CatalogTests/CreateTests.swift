import Music
import Testing

@testable import Catalog

@Suite struct CreateTests {
  let shelf: Shelf
  let catalog: SQLiteCatalog

  init() throws {
    shelf = try Shelf()
    catalog = try shelf.open()
  }

  private func create(_ take: Take, _ title: String? = nil) async throws -> Take {
    try await catalog.create(take, songTitle: title) { "\($0.room)/\($0.song?.title ?? "-")/\($0.number)" }
  }

  @Test func numbersCountWithinRoomAndSong() async throws {
    let cellar = try Example.session("Cellar")
    let attic = try Example.session("Attic")
    var numbers: [Int] = []
    for (session, title) in [
      (cellar, nil), (cellar, "Blue"), (cellar, nil), (attic, "Blue"), (attic, nil), (cellar, "Blue"), (cellar, "Red"),
    ] as [(Session, String?)] {
      numbers.append(try await create(Example.take(session), title).number)
    }
    #expect(numbers == [1, 1, 2, 1, 1, 2, 1])
  }

  @Test func whatIsReturnedIsWhatIsStored() async throws {
    var draft = Example.take(try Example.session(), at: 5, number: 99)
    draft.startedAt = draft.startedAt + .nanoseconds(123_456)
    let take = try await create(draft, "Blue")
    #expect(take.startedAt == Example.time(5))
    #expect(take.number == 1)
    #expect(take.folder == "Cellar/Blue/1")
    #expect(try await catalog.take(take.id) == take)
  }

  @Test func simultaneousTakesGetDifferentNumbers() async throws {
    let session = try Example.session()
    let beside = try shelf.open()
    let numbers = try await withThrowingTaskGroup { group in
      for index in 0..<40 {
        let take = Example.take(session, at: Int64(index))
        let index = index.isMultiple(of: 2) ? catalog : beside
        group.addTask { try await index.create(take, songTitle: "Blue") { "\($0.number)" }.number }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(numbers.sorted() == Array(1...40))
    #expect(try await Set(catalog.takes(TakeQuery()).items.map(\.song)).count == 1)
  }

  @Test func aSongIsFoundByItsTitleInAnyCase() async throws {
    let session = try Example.session()
    let first = try await create(Example.take(session), "  Straße im Café\n")
    let second = try await create(Example.take(session), "STRASSE IM CAFE\u{301}")
    #expect(first.song?.title == "Straße im Café")
    #expect(second.song == first.song)
    #expect(second.number == 2)
    #expect(try await catalog.song(titled: "strasse im café") == first.song)
    #expect(try await catalog.song(titled: "strasse") == nil)
  }

  @Test(arguments: ["", "  ", "\n\t"]) func aBlankTitleIsNone(title: String) async throws {
    #expect(try await create(Example.take(Example.session()), title).song == nil)
    #expect(try await catalog.song(titled: title) == nil)
  }

  @Test func aSongThatIsGivenIsKept() async throws {
    let song = Example.song("Green")
    let take = try await create(Example.take(Example.session(), song: song))
    #expect(take.song == song)
    #expect(try await catalog.song(song.id) == song)
    let again = try await create(Example.take(Example.session(), song: Song(id: song.id, title: "Of another day")))
    #expect(again.song == song)
    #expect(again.number == 2)
  }

  @Test func aTakeIsNotAddedTwice() async throws {
    let take = try await create(Example.take(Example.session()))
    await #expect(throws: CatalogError.takeExists(take.id)) { try await create(take) }
  }

  @Test func aFolderIsNotGivenTwice() async throws {
    let session = try Example.session()
    _ = try await catalog.create(Example.take(session), songTitle: nil) { _ in "same" }
    let error = await #expect(throws: CatalogError.self) {
      try await catalog.create(Example.take(session), songTitle: "Lost") { _ in "same" }
    }
    #expect(error?.code == "conflict")
    #expect(error?.description.contains("takes.folder") == true)
    // Nothing of the refused take stays, not even its song.
    #expect(try await catalog.song(titled: "Lost") == nil)
  }

  @Test func aSessionBelongsToOneRoom() async throws {
    let session = try Example.session("Cellar")
    _ = try await create(Example.take(session))
    var moved = session
    moved.room = try Example.room("Attic")
    let expected = CatalogError.sessionElsewhere(session.id, room: session.room)
    await #expect(throws: expected) { try await create(Example.take(moved)) }
    await #expect(throws: expected) { try await catalog.open(moved) }
    #expect(try await catalog.rooms() == [session.room])
  }

  @Test func aDiscardedTakeLeavesItsNumber() async throws {
    let session = try Example.session()
    let first = try await create(Example.take(session))
    try await catalog.discard(first.id)
    #expect(try await catalog.take(first.id) == nil)
    #expect(try await create(Example.take(session)).number == 1)
    await #expect(throws: CatalogError.unknownTake(first.id)) { try await catalog.discard(first.id) }
  }

  @Test func aTakeWithTracksIsNotDiscarded() async throws {
    let take = try Example.finished()
    try await catalog.store(take, tracks: [Example.track(take, 1, Example.participant("Ann"))], cues: [])
    await #expect(throws: CatalogError.takeHasTracks(take.id, count: 1)) { try await catalog.discard(take.id) }
  }
}
