import Library
import Machines
import Music

/// Requests to the index: they return in time, or throw an error that says so.
extension IndexBacklog: TakeIndex {
  private func answer<Value: Sendable>(_ body: @escaping @Sendable (any TakeIndex) async throws -> Value) async throws
    -> Value
  {
    let index = index
    guard let value = try await Deadline.race(IndexBacklog.readPatience, { try await body(index) }) else {
      throw IndexUnavailable.silent(seconds: IndexBacklog.readPatience.seconds)
    }
    return value
  }

  package func take(_ id: TakeID) async throws -> Take? {
    guard let known = knowing({ $0.takes[id] }) else { return try await answer { try await $0.take(id) } }
    // An edit may be in progress; a request to stop the take must not wait for it.
    let index = index
    let stored = try? await Deadline.race(IndexBacklog.numberPatience) { try await index.take(id) }
    return ((stored ?? nil) ?? nil) ?? known
  }

  package func session(_ id: SessionID) async throws -> Session? {
    guard let known = knowing({ $0.sessions[id] }) else { return try await answer { try await $0.session(id) } }
    return known
  }

  package func unfinishedTakes() async throws -> [Take] { try await answer { try await $0.unfinishedTakes() } }
  package func takes(_ query: TakeQuery) async throws -> Page<Take> { try await answer { try await $0.takes(query) } }
  package func takeText(_ query: TakeQuery) async throws -> PageText {
    try await answer { try await $0.takeText(query) }
  }
  package func takeAtOnce(_ id: TakeID) throws -> IndexedTake? { try index.takeAtOnce(id) }
  package func takeTextAtOnce(_ query: TakeQuery) throws -> PageText? { try index.takeTextAtOnce(query) }
  package var edition: UInt64? { index.edition }
  package func tracks(of take: TakeID) async throws -> [Track] { try await answer { try await $0.tracks(of: take) } }
  package func cues(of take: TakeID) async throws -> [Cue] { try await answer { try await $0.cues(of: take) } }
  package func files(of take: TakeID) async throws -> [TakeFile] { try await answer { try await $0.files(of: take) } }
  package func rooms() async throws -> [RoomName] { try await answer { try await $0.rooms() } }
  package func sessions(_ query: SessionQuery) async throws -> Page<Session> {
    try await answer { try await $0.sessions(query) }
  }
  package func song(_ id: SongID) async throws -> Song? { try await answer { try await $0.song(id) } }
  package func song(titled title: String) async throws -> Song? {
    try await answer { try await $0.song(titled: title) }
  }
  package func songs(_ query: BookQuery) async throws -> Page<Song> { try await answer { try await $0.songs(query) } }
  package func person(_ id: ParticipantID) async throws -> Person? { try await answer { try await $0.person(id) } }
  package func people(_ query: BookQuery) async throws -> Page<Person> {
    try await answer { try await $0.people(query) }
  }
  package func nextNumber(in room: RoomName, song: SongID?, besides take: TakeID) async throws -> Int {
    try await answer { try await $0.nextNumber(in: room, song: song, besides: take) }
  }

  // MARK: For `Library`

  package func checkWritable() async throws { try await index.checkWritable() }
  package func store(_ contents: TakeContents) async throws { try await index.store(contents) }
  package func store(_ song: Song) async throws { try await index.store(song) }
  package func store(_ person: Person) async throws { try await index.store(person) }
  package func remove(_ take: TakeID) async throws { try await index.remove(take) }
  package func remove(_ song: SongID) async throws -> Bool { try await index.remove(song) }
}

/// The index did not respond in time, or the service ended before it took a write.
enum IndexUnavailable: IndexProblem, CustomStringConvertible {
  case silent(seconds: Double)
  case stopped

  var isIndexUnavailable: Bool { true }

  var description: String {
    switch self {
    case .silent(let seconds): "the index did not answer within \(seconds) s; try again in a moment"
    case .stopped: "the service ended before the index was updated; the next start updates it"
    }
  }
}
