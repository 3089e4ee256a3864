import GRDB
import Music
import Testing

@testable import Catalog

@Suite struct StoreTests {
  let shelf: Shelf
  let catalog: SQLiteCatalog

  init() throws {
    shelf = try Shelf()
    catalog = try shelf.open()
  }

  private func count(_ table: String) async throws -> Int {
    try await catalog.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
  }

  @Test func aManifestAloneIsEnough() async throws {
    var take = try Example.finished(number: 7, song: Example.song("Blue"))
    let ann = try Example.participant("Ann")
    let gaps = Gap.Cause.allCases.enumerated().map { index, cause in
      Gap(
        start: SamplePosition(Int64(index) * 960), length: SamplePosition(480), cause: cause,
        isConcealed: index.isMultiple(of: 2))
    }
    var second = Example.track(take, 2, try Example.participant("Bo 🎸"))
    (second.part, second.peak, second.loudness, second.alignment, second.channels) = (nil, nil, nil, nil, 1)
    let tracks = [Example.track(take, 1, ann, gaps: gaps), second]
    let cues = [
      Cue(id: CueID(at: Example.noon), position: .zero, text: "start"),
      Cue(id: CueID(at: Example.noon), position: SamplePosition(96_000), text: "it's \"here\"", author: ann.id),
      Cue(
        id: CueID(at: Example.noon), position: SamplePosition(97_000), text: "a listener's",
        author: try Example.participant("Guest").id),
    ]
    try await catalog.store(take, tracks: tracks.reversed(), cues: cues.reversed())

    take.trackCount = 2
    #expect(try await catalog.take(take.id) == take)
    #expect(try await catalog.tracks(of: take.id) == tracks)
    #expect(try await catalog.cues(of: take.id) == cues)
    #expect(try await catalog.rooms() == [take.room])
    #expect(
      try await catalog.session(take.session)
        == Session(id: take.session, room: take.room, startedAt: take.startedAt))
  }

  @Test func storingAgainReplacesTracksGapsAndCues() async throws {
    let take = try Example.finished()
    let ann = try Example.participant("Ann")
    let bo = try Example.participant("Bo")
    let gap = Gap(start: .zero, length: SamplePosition(960), cause: .loss, isConcealed: true)
    try await catalog.store(
      take, tracks: [Example.track(take, 1, ann, gaps: [gap, gap]), Example.track(take, 2, bo, gaps: [gap])],
      cues: [Cue(id: CueID(at: Example.noon), position: .zero, text: "old")])
    let tracks = [Example.track(take, 1, bo)]
    for _ in 1...2 { try await catalog.store(take, tracks: tracks, cues: []) }

    #expect(try await catalog.tracks(of: take.id) == tracks)
    #expect(try await catalog.cues(of: take.id).isEmpty)
    #expect(try await catalog.take(take.id)?.trackCount == 1)
    #expect(try await count("gaps") == 0)
    #expect(try await count("takes") == 1)
    #expect(try await count("participants") == 2)
  }

  @Test func aTakeKeepsItsKeySoThatOtherTablesMayPointToIt() async throws {
    let take = try Example.finished()
    try await catalog.store(take, tracks: [], cues: [])
    try await catalog.store(try Example.finished(at: 1), tracks: [], cues: [])
    let key = { @Sendable (database: Database) in
      try Int64.fetchOne(database, sql: "SELECT key FROM takes WHERE id = ?", arguments: [take.id])
    }
    let before = try await catalog.read(key)
    try await catalog.store(take, tracks: [], cues: [])
    #expect(try await catalog.read(key) == before)
  }

  @Test func participantsAreKnownByIdentifierAndTracksKeepTheNameOfTheirDay() async throws {
    var ann = try Example.participant("Ann")
    let first = try Example.finished()
    try await catalog.store(first, tracks: [Example.track(first, 1, ann)], cues: [])
    ann.name = try DisplayName(checking: "Anna")
    let second = try Example.finished(at: 60)
    try await catalog.store(second, tracks: [Example.track(second, 1, ann)], cues: [])

    #expect(try await catalog.tracks(of: first.id).map(\.participant.name.description) == ["Ann"])
    #expect(try await catalog.tracks(of: second.id).map(\.participant) == [ann])
    let names = try await catalog.read { try String.fetchAll($0, sql: "SELECT name FROM participants") }
    #expect(names == ["Anna"])
  }

  @Test func aRefusedStoreChangesNothing() async throws {
    let take = try Example.finished()
    let tracks = [Example.track(take, 1, try Example.participant("Ann"))]
    try await catalog.store(take, tracks: tracks, cues: [])
    let other = try Example.finished(at: 9)
    var sameIdentifier = tracks[0]
    sameIdentifier.take = other.id

    let bo = try Example.participant("Bo")
    let error = await #expect(throws: CatalogError.self) {
      try await catalog.store(other, tracks: [Example.track(other, 1, bo), sameIdentifier], cues: [])
    }
    #expect(error?.code == "conflict")
    #expect(try await catalog.take(other.id) == nil)
    #expect(try await catalog.tracks(of: take.id) == tracks)
    #expect(try await count("participants") == 1)
    #expect(try await count("sessions") == 1)
  }

  @Test func valuesOutOfRangeAreRefused() async throws {
    let good = try Example.finished()
    let ann = try Example.participant("Ann")
    var bad: [(Take, [Track])] = []
    for number in [0, -1, Int.max] {
      var take = good
      take.number = number
      bad.append((take, []))
    }
    var take = good
    take.length = SamplePosition(-1)
    bad.append((take, []))
    var track = Example.track(good, 1, ann)
    track.channels = 3
    bad.append((good, [track]))
    bad.append((good, [Example.track(good, 1, ann), Example.track(good, 1, ann)]))
    for (take, tracks) in bad {
      let error = await #expect(throws: CatalogError.self) {
        try await catalog.store(take, tracks: tracks, cues: [])
      }
      #expect(error?.code == "conflict")
    }
    #expect(try await count("takes") == 0)
  }

  @Test func aTrackOfAnotherTakeIsRefused() async throws {
    let take = try Example.finished()
    let stray = Example.track(try Example.finished(), 1, try Example.participant("Ann"))
    await #expect(throws: CatalogError.trackOfAnotherTake(stray.id, take: take.id)) {
      try await catalog.store(take, tracks: [stray], cues: [])
    }
  }

  @Test func aReportThatIsNotANumberIsKeptAsSuch() async throws {
    let take = try Example.finished()
    var track = Example.track(take, 1, try Example.participant("Ann"))
    track.alignment?.drift = .nan
    track.peak = -.infinity
    try await catalog.store(take, tracks: [track], cues: [])
    let stored = try #require(try await catalog.tracks(of: take.id).first)
    #expect(stored.alignment?.drift.isNaN == true)
    #expect(stored.alignment?.offset == 0.25)
    #expect(stored.peak == -.infinity)
  }

  @Test func aCancelledTaskStillStores() async throws {
    let take = try Example.finished()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await catalog.store(take, tracks: [], cues: [])
    }
    try await task.value
    #expect(try await catalog.take(take.id) == take)
  }

  @Test func nothingIsKnownOfAnUnknownTake() async throws {
    let id = TakeID(at: Example.noon)
    #expect(try await catalog.take(id) == nil)
    #expect(try await catalog.tracks(of: id).isEmpty)
    #expect(try await catalog.cues(of: id).isEmpty)
  }
}
