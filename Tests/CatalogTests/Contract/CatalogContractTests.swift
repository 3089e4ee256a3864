import Music
import TestSupport
import Testing

@testable import Catalog

/// What every engine of the index does, whichever keeps it.
@Suite(.serialized) struct CatalogContractTests {
  // MARK: Storing

  @Test(arguments: Engine.allCases) func whatIsStoredIsReadBack(engine: Engine) async throws {
    let shelf = try await engine.shelf()
    let catalog = shelf.catalog
    var take = try Example.finished(number: 7, song: Example.song("Blue 🎸"))
    take.annotations = TakeAnnotations(
      title: "it's \"one\" \\ {a,b}", rating: 4, isFavourite: true, notes: "a\nb", tags: ["Keeper", "don't"])
    (take.loudness, take.revision) = (-17.25, 3)
    let ann = try Example.participant("Ann")
    let gap = Gap(start: .zero, length: SamplePosition(960), cause: .captureStall, isConcealed: true)
    var second = Example.track(take, 2, try Example.participant("Bo 🎸"))
    (second.part, second.peak, second.alignment, second.channels, second.meta) = (nil, nil, nil, 1, nil)
    let tracks = [Example.track(take, 1, ann, gaps: [gap, gap]), second]
    let comment = CueComment(share: ShareID(at: Example.noon), name: ann.name, isHidden: true)
    let cues = [
      Cue(id: CueID(at: Example.noon), position: .zero, text: "start", author: ann.id),
      Cue(id: CueID(at: Example.noon), position: SamplePosition(96_000), text: "NULL", comment: comment),
    ]
    let files = [
      TakeFile(name: "01.flac", role: "track", track: tracks[0].id, size: 1 << 40),
      TakeFile(name: "mix.flac", role: "mix", size: 0, digestMethod: "sha256", digest: "ab"),
    ]
    let session = Session(id: take.session, room: take.room, startedAt: take.startedAt, endedAt: Example.time(99))
    let contents = TakeContents(
      take: take, session: session, tracks: tracks.reversed(), cues: cues.reversed(), files: files.reversed())
    for _ in 1...2 { try await catalog.store(contents) }

    take.trackCount = 2
    #expect(try await catalog.take(take.id) == take)
    #expect(try await catalog.tracks(of: take.id) == tracks)
    #expect(try await catalog.cues(of: take.id) == cues)
    #expect(try await catalog.files(of: take.id) == files)
    #expect(try await catalog.session(take.session) == session)
    #expect(try await catalog.rooms() == [take.room])
    #expect(try await catalog.person(ann.id)?.name == ann.name)
    let prefix = String("\(take.id)".prefix(20)).lowercased()
    #expect(try await catalog.takes(beginningWith: prefix, limit: 5) == [take])
    #expect(try await catalog.takes(beginningWith: "!", limit: 5).isEmpty)
  }

  @Test(arguments: Engine.allCases) func aRefusedStoreChangesNothing(engine: Engine) async throws {
    let shelf = try await engine.shelf()
    let catalog = shelf.catalog
    let take = try Example.finished()
    let tracks = [Example.track(take, 1, try Example.participant("Ann"))]
    try await catalog.store(take, tracks: tracks, cues: [])
    let other = try Example.finished("Attic", at: 9)
    var sameIdentifier = tracks[0]
    sameIdentifier.take = other.id
    let bo = Example.track(other, 1, try Example.participant("Bo"))
    var error = await #expect(throws: CatalogError.self) {
      try await catalog.store(other, tracks: [bo, sameIdentifier], cues: [])
    }
    #expect(error?.code == "conflict")
    for number in [0, -1, Int.max] {
      var bad = other
      bad.number = number
      error = await #expect(throws: CatalogError.self) { try await catalog.store(bad, tracks: [], cues: []) }
      #expect(error?.code == "conflict")
    }
    #expect(try await catalog.take(other.id) == nil)
    #expect(try await catalog.rooms() == [take.room])
    #expect(try await catalog.people(BookQuery()).items.map(\.name.description) == ["Ann"])
    #expect(try await catalog.tracks(of: take.id) == tracks)
    await #expect(throws: CatalogError.trackOfAnotherTake(bo.id, take: take.id)) {
      try await catalog.store(take, tracks: [bo], cues: [])
    }
    var elsewhere = other
    elsewhere.session = take.session
    await #expect(throws: CatalogError.sessionElsewhere(take.session, room: take.room)) {
      try await catalog.store(elsewhere, tracks: [], cues: [])
    }
  }

  // MARK: The recorder

  @Test(arguments: Engine.allCases) func takesGetTheirNumbers(engine: Engine) async throws {
    let shelf = try await engine.shelf()
    let catalog = shelf.catalog
    let (cellar, attic) = (try Example.session("Cellar"), try Example.session("Attic"))
    var numbers: [Int] = []
    for (session, title) in [
      (cellar, nil), (cellar, "Blue"), (cellar, nil), (attic, " BLUE\n"), (cellar, "blue"), (cellar, " "),
    ] as [(Session, String?)] {
      let take = try await catalog.create(Example.take(session), songTitle: title) { "\($0.id)" }
      numbers.append(take.number)
      #expect(try await catalog.take(take.id) == take)
    }
    #expect(numbers == [1, 1, 2, 1, 2, 3])
    let song = try #require(try await catalog.song(titled: "bLuE"))
    let draft = Example.take(cellar)
    func next(_ room: RoomName, _ song: SongID?) async throws -> Int {
      try await catalog.nextNumber(in: room, song: song, besides: draft.id)
    }
    #expect(try await next(cellar.room, song.id) == 3)
    #expect(try await next(cellar.room, nil) == 4)
    #expect(try await next(try Example.room("Nowhere"), nil) == 1)
    // A song that nobody has played yet is not the music without one.
    #expect(try await next(cellar.room, SongID(at: cellar.startedAt)) == 1)
    _ = try await catalog.create(draft, songTitle: nil) { "\($0.id)" }
    #expect(try await next(cellar.room, nil) == 4)
    await #expect(throws: CatalogError.takeExists(draft.id)) {
      try await catalog.create(draft, songTitle: nil) { "\($0.id)" }
    }
    await #expect(throws: CatalogError.self) {
      try await catalog.create(Example.take(cellar), songTitle: nil) { _ in "\(draft.id)" }
    }
  }

  @Test(arguments: Engine.allCases) func simultaneousTakesGetDifferentNumbers(engine: Engine) async throws {
    let shelf = try await engine.shelf()
    let (catalog, beside) = (shelf.catalog, try await shelf.open())
    let session = try Example.session()
    let numbers = try await withThrowingTaskGroup(of: Int.self) { group in
      for index in 0..<40 {
        let take = Example.take(session, at: Int64(index))
        let index: any CatalogEngine = index.isMultiple(of: 2) ? catalog : beside
        group.addTask { try await index.create(take, songTitle: "Blue") { "\($0.number)" }.number }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(numbers.sorted() == Array(1...40))
    try beside.close()
  }

  @Test(arguments: Engine.allCases) func statesMoveOnlyWhereTheyMay(engine: Engine) async throws {
    let shelf = try await engine.shelf()
    let catalog = shelf.catalog
    let session = try Example.session()
    try await catalog.open(session)
    let take = try await catalog.create(Example.take(session), songTitle: "Blue") { "\($0.id)" }
    #expect(try await catalog.unfinishedTakes() == [take])
    try await catalog.setState(of: take.id, to: .captured)
    await #expect(throws: CatalogError.illegalMove(take.id, from: .captured, to: .ready)) {
      try await catalog.setState(of: take.id, to: .ready)
    }
    let stranger = TakeID(at: Example.noon)
    await #expect(throws: CatalogError.unknownTake(stranger)) { try await catalog.setState(of: stranger, to: .ready) }
    #expect(try await catalog.takes(TakeQuery(state: .captured, isFavourite: false)).items.map(\.id) == [take.id])
    try await catalog.discard(take.id)
    #expect(try await catalog.song(titled: "Blue") == nil)
    await #expect(throws: CatalogError.unknownTake(take.id)) { try await catalog.discard(take.id) }
  }

  @Test(arguments: Engine.allCases) func sessionsBeginEndAndGo(engine: Engine) async throws {
    let shelf = try await engine.shelf()
    let catalog = shelf.catalog
    var sessions: [Session] = []
    for index in 0..<9 {
      sessions.append(try Example.session(["Cellar", "Attic"][index % 2], at: Int64(index / 2)))
    }
    for session in sessions { try await catalog.open(session) }
    var query = SessionQuery(limit: 4)
    var found: [SessionID] = []
    repeat {
      let page = try await catalog.sessions(query)
      found += page.items.map(\.id)
      query.cursor = page.next
    } while query.cursor != nil
    #expect(found == sessions.sorted { ($0.startedAt, $0.id) > ($1.startedAt, $1.id) }.map(\.id))
    let attic = try await catalog.sessions(
      SessionQuery(room: try Example.room("Attic"), startedAfter: Example.time(1), startedBefore: Example.time(3)))
    #expect(attic.items.count == 2)
    try await catalog.close(sessions[0].id, at: Example.time(50))
    try await catalog.discard(sessions[0].id) {}
    #expect(try await catalog.session(sessions[0].id) == nil)
    try await catalog.discard(sessions[1].id) { Issue.record("an open session went") }
    try await catalog.closeLeftSessions()
    #expect(try await catalog.session(sessions[1].id)?.endedAt == sessions[1].startedAt)
    let stranger = SessionID(at: Example.noon)
    await #expect(throws: CatalogError.unknownSession(stranger)) {
      try await catalog.close(stranger, at: Example.noon)
    }
  }

  // MARK: The song book

  @Test(arguments: Engine.allCases) func aRenamedSongIsFoundWithItsTakes(engine: Engine) async throws {
    let shelf = try await engine.shelf()
    let catalog = shelf.catalog
    var song = Example.song("Green")
    let take = try Example.finished(song: song)
    try await catalog.store(take, tracks: [], cues: [])
    #expect(try await !catalog.remove(song.id))
    (song.title, song.composers, song.key, song.revision) = ("Straße", ["Evans", "Davis"], "F#", 2)
    song.tempo = TempoMap(changes: [
      TempoMap.Change(position: .zero, beatsPerMinute: 90.5, beatsPerBar: 3, beatUnit: 4)
    ])
    try await catalog.store(song)
    #expect(try await catalog.song(song.id) == song)
    #expect(try await catalog.song(titled: " STRASSE") == song)
    #expect(try await catalog.takes(TakeQuery(text: "stras")).items.map(\.id) == [take.id])
    #expect(try await catalog.takes(TakeQuery(text: "green")).items.isEmpty)
    #expect(try await catalog.takes(TakeQuery(song: song.id)).items.first?.song == song)
    try await catalog.remove(take.id)
    // It has a file of its own, and so stays.
    #expect(try await catalog.song(song.id) == song)
    #expect(try await catalog.remove(song.id))
    #expect(try await catalog.songs(BookQuery()).items.isEmpty)
  }

  @Test(arguments: Engine.allCases) func peopleAreMergedAndSeparated(engine: Engine) async throws {
    let shelf = try await engine.shelf()
    let catalog = shelf.catalog
    let (ann, bo) = (try Example.participant("Ann"), try Example.participant("Bo"))
    var takes: [TakeID] = []
    for (index, player) in [ann, bo].enumerated() {
      let take = try Example.finished(at: Int64(index))
      try await catalog.store(take, tracks: [Example.track(take, 1, player)], cues: [])
      takes.append(take.id)
    }
    var person = try #require(try await catalog.person(ann.id))
    (person.merged, person.givenName, person.revision) = ([bo.id], try DisplayName(checking: "Anna"), 2)
    try await catalog.store(person)
    let merged = try await catalog.person(bo.id)
    #expect(merged?.id == ann.id)
    #expect(merged?.name.description == "Anna")
    #expect(merged?.names.map(\.description) == ["Ann", "Bo"])
    #expect(try await catalog.takes(TakeQuery(participant: bo.id, sort: .oldest)).items.map(\.id) == takes)
    #expect(try await catalog.takes(TakeQuery(text: "anna")).items.count == 2)
    #expect(try await catalog.people(BookQuery()).items == [merged])
    person.merged = []
    try await catalog.store(person)
    #expect(try await catalog.takes(TakeQuery(participant: bo.id)).items.map(\.id) == [takes[1]])
    #expect(try await catalog.people(BookQuery()).items.map(\.id) == [ann.id, bo.id])
    for take in takes { try await catalog.remove(take) }
    #expect(try await catalog.people(BookQuery()).items.isEmpty)
  }

  @Test(arguments: Engine.allCases) func titlesAreSortedByTheirBytes(engine: Engine) async throws {
    let shelf = try await engine.shelf()
    let catalog = shelf.catalog
    let long = String(repeating: "ΐ", count: 190)
    for title in ["b", "Ä", "a", "C", "c 2", long + "b", long + "a"] { try await catalog.store(Example.song(title)) }
    var query = BookQuery(limit: 2)
    var titles: [String] = []
    repeat {
      let page = try await catalog.songs(query)
      titles += page.items.map(\.title)
      query.cursor = page.next
    } while query.cursor != nil
    #expect(titles == ["a", "b", "C", "c 2", "Ä", long + "a", long + "b"])
  }

  // MARK: Search

  @Test(arguments: Engine.allCases) func accentsCaseWidthAndApostrophesDoNotMatter(engine: Engine) async throws {
    let shelf = try await engine.shelf()
    let catalog = shelf.catalog
    var take = try Example.finished(song: Example.song("Ça n’a pas d'Œuvre"))
    take.annotations = TakeAnnotations(title: "Straße ＡＢＣ", notes: "Привет, 東京 🎸", tags: ["don't stop"])
    try await catalog.store(
      take, tracks: [Example.track(take, 1, try Example.participant("Łukasz"))],
      cues: [Cue(id: CueID(at: Example.noon), position: .zero, text: "Bridge!")])
    for text in ["ca", "CÁ", "doeuvre", "strasse", "abc", "прив", "東", "🎸", "dont", "lukasz guitar", "bridge"] {
      #expect(try await catalog.takes(TakeQuery(text: text)).items.map(\.id) == [take.id], "\(text)")
    }
    for text in ["xyz", "abcd", "ca xyz", "!!!", "", "_f0", "_t1", "ca AND", "\"", "x\u{0}y", "'", "\\", "x:*", "!x"] {
      #expect(try await catalog.takes(TakeQuery(text: text)).items.isEmpty, "\(text)")
    }
    await #expect(throws: CatalogError.value(ValueProblem("text", "17 words", "at most 16 words"))) {
      try await catalog.takes(TakeQuery(text: String(repeating: "a ", count: 17)))
    }
  }

  /// The same cursors too, so that a service that moves to another engine breaks no list that is being read.
  @Test func bothEnginesWriteTheSamePages() async throws {
    let (one, other) = (try await Engine.sqlite.shelf(), try await Engine.postgreSQL.shelf())
    var generator = SeededRandom(7)
    let all = try await ConditionTests.catalogue(&generator, in: one.catalog)
    for kept in all { try await other.catalog.store(kept.take, tracks: kept.tracks, cues: kept.cues) }
    var queries: [TakeQuery] = []
    let rooms = [nil, try Example.room("Cellar"), try Example.room("Nowhere")]
    for (index, kept) in all.prefix(12).enumerated() {
      for sort in TakeQuery.Sort.allCases {
        let song = index % 2 == 0 ? kept.take.song?.id : nil
        queries.append(TakeQuery(room: rooms[index % 3], song: song, sort: sort, limit: 7))
        queries.append(TakeQuery(room: rooms[index % 3], state: kept.take.state, sort: sort, limit: 7))
        queries.append(TakeQuery(session: kept.take.session, sort: sort))
        let player = kept.tracks.first?.participant.id
        queries.append(TakeQuery(participant: player, minimumRating: 2, sort: sort, limit: 5))
        queries.append(TakeQuery(isFavourite: index % 2 == 0, tag: "KEEPER", sort: sort, limit: 5))
        let (first, last) = (all[10].take.startedAt, all[50].take.startedAt)
        queries.append(TakeQuery(startedAfter: first, startedBefore: last, sort: sort, limit: 9))
        queries.append(TakeQuery(text: "blu", shelf: .deleted, sort: sort, limit: 2))
        queries.append(TakeQuery(shelf: .deleted, sort: sort, limit: 4))
      }
    }
    for _ in 0..<150 { queries.append(TakeQuery(condition: ConditionTests.condition(all, 2, &generator), limit: 6)) }
    var count = 0
    for var query in queries {
      repeat {
        let wanted = await Self.answer(query, one.catalog)
        let page = await Self.answer(query, other.catalog)
        let isSame = page == wanted
        #expect(isSame, "\(query)")
        guard isSame, case .success(let text) = page else { break }
        count += 1
        query.cursor = text.next
      } while query.cursor != nil
    }
    #expect(count > 400)
  }

  private static func answer(_ query: TakeQuery, _ catalog: any CatalogEngine) async -> Result<PageText, CatalogError> {
    do { return .success(try await catalog.takeText(query)) } catch let error as CatalogError {
      return .failure(error)
    } catch {
      return .failure(.unreadable("\(error)"))
    }
  }

  // MARK: The state of the whole

  @Test(arguments: Engine.allCases) func anIndexKnowsWhetherItIsFilled(engine: Engine) async throws {
    let shelf = try await engine.shelf()
    #expect(shelf.catalog.origin == .created)
    #expect(try await !shelf.catalog.isFilled())
    try await shelf.catalog.markFilled()
    try await shelf.catalog.checkWritable()
    let again = try await shelf.open()
    #expect(again.origin == .existing)
    #expect(try await again.isFilled())
    try again.close()
    await #expect(throws: CatalogError.self) { try await again.rooms() }
  }
}
