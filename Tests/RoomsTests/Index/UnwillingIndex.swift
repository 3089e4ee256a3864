import Catalog
import Music
import Synchronization

@testable import Rooms

/// The real index, which can be told to refuse, or to say nothing.
final class UnwillingIndex: TakeIndex {
  enum Mood: Sendable {
    case willing, locked, silent
  }

  struct Locked: IndexProblem {
    let isIndexUnavailable = true
  }

  private struct State {
    var mood = Mood.willing
    var silenced: [CheckedContinuation<Void, Never>] = []
    var refusals = 0
  }

  private let catalog: SQLiteCatalog
  private let state = Mutex(State())

  init(_ catalog: SQLiteCatalog) {
    self.catalog = catalog
  }

  var refusals: Int { state.withLock { $0.refusals } }

  func become(_ mood: Mood) {
    let waiting = state.withLock { state in
      state.mood = mood
      defer { state.silenced = [] }
      return state.silenced
    }
    for continuation in waiting { continuation.resume() }
  }

  private func asked<Value>(_ body: (SQLiteCatalog) async throws -> Value) async throws -> Value {
    await withCheckedContinuation { continuation in
      let isSilent = state.withLock { state in
        if state.mood == .silent { state.silenced.append(continuation) }
        return state.mood == .silent
      }
      if !isSilent { continuation.resume() }
    }
    let isLocked = state.withLock { state in
      if state.mood == .locked { state.refusals += 1 }
      return state.mood == .locked
    }
    if isLocked { throw Locked() }
    return try await body(catalog)
  }

  func takeText(_ query: TakeQuery) async throws -> PageText { try await asked { try await $0.takeText(query) } }
  func open(_ session: Session) async throws { try await asked { try await $0.open(session) } }
  func close(_ session: SessionID, at time: WallTime) async throws {
    try await asked { try await $0.close(session, at: time) }
  }
  func discard(_ session: SessionID, whenGone: @escaping @Sendable () -> Void) async throws {
    try await asked { try await $0.discard(session, whenGone: whenGone) }
  }
  func closeLeftSessions() async throws { try await asked { try await $0.closeLeftSessions() } }
  func create(_ take: Take, songTitle: String?, folder: @escaping @Sendable (Take) -> String) async throws -> Take {
    try await asked { try await $0.create(take, songTitle: songTitle, folder: folder) }
  }
  func setState(of take: TakeID, to state: TakeState) async throws {
    try await asked { try await $0.setState(of: take, to: state) }
  }
  func discard(_ take: TakeID) async throws { try await asked { try await $0.discard(take) } }
  func unfinishedTakes() async throws -> [Take] { try await asked { try await $0.unfinishedTakes() } }
  func take(_ id: TakeID) async throws -> Take? { try await asked { try await $0.take(id) } }
  func takes(_ query: TakeQuery) async throws -> Page<Take> { try await asked { try await $0.takes(query) } }
  func tracks(of take: TakeID) async throws -> [Track] { try await asked { try await $0.tracks(of: take) } }
  func cues(of take: TakeID) async throws -> [Cue] { try await asked { try await $0.cues(of: take) } }
  func files(of take: TakeID) async throws -> [TakeFile] { try await asked { try await $0.files(of: take) } }
  func rooms() async throws -> [RoomName] { try await asked { try await $0.rooms() } }
  func session(_ id: SessionID) async throws -> Session? { try await asked { try await $0.session(id) } }
  func sessions(_ query: SessionQuery) async throws -> Page<Session> {
    try await asked { try await $0.sessions(query) }
  }
  func song(_ id: SongID) async throws -> Song? { try await asked { try await $0.song(id) } }
  func song(titled title: String) async throws -> Song? { try await asked { try await $0.song(titled: title) } }
  func songs(_ query: BookQuery) async throws -> Page<Song> { try await asked { try await $0.songs(query) } }
  func person(_ id: ParticipantID) async throws -> Person? { try await asked { try await $0.person(id) } }
  func people(_ query: BookQuery) async throws -> Page<Person> { try await asked { try await $0.people(query) } }
  func checkWritable() async throws { try await asked { try await $0.checkWritable() } }
  func store(_ contents: TakeContents) async throws { try await asked { try await $0.store(contents) } }
  func store(_ song: Song) async throws { try await asked { try await $0.store(song) } }
  func store(_ person: Person) async throws { try await asked { try await $0.store(person) } }
  func remove(_ take: TakeID) async throws { try await asked { try await $0.remove(take) } }
  func remove(_ song: SongID) async throws -> Bool { try await asked { try await $0.remove(song) } }
  func nextNumber(in room: RoomName, song: SongID?, besides take: TakeID) async throws -> Int {
    try await asked { try await $0.nextNumber(in: room, song: song, besides: take) }
  }
}
