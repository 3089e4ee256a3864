import GRDB
import Music

extension SQLiteCatalog {
  /// The take of this identifier, nil where there is none.
  package func take(_ id: TakeID) async throws -> Take? {
    try await read { try TakeRecord.find(id, in: $0) }
  }

  /// One page of the takes that `query` asks for.
  ///
  /// Takes of one millisecond are in the order of their identifiers where only room, song, state and time are asked
  /// for, else in that in which the index met them.
  /// - Throws: `CatalogError.invalidCursor`, `.limitOutOfRange`, `.unsupportedSort`, `.value`.
  package func takes(_ query: TakeQuery) async throws -> Page<Take> {
    let listing = try TakeListing(query)
    return try await read { try listing.fetch($0) }
  }

  /// The tracks of a take in the order of their numbers; none for an unknown take.
  package func tracks(of take: TakeID) async throws -> [Track] {
    try await read { try TrackRecord.fetch(of: take, in: $0) }
  }

  /// The cues of a take in the order of their positions; none for an unknown take.
  package func cues(of take: TakeID) async throws -> [Cue] {
    try await read { try CueRecord.fetch(of: take, in: $0) }
  }

  /// The files of a take by their names, as its manifest has them; none for an unknown take.
  package func files(of take: TakeID) async throws -> [TakeFile] {
    try await read { try FileRecord.fetch(of: take, in: $0) }
  }

  /// Takes that were rolling, captured or rendering; the oldest first, which has waited longest.
  package func unfinishedTakes() async throws -> [Take] {
    try await read { try TakeRecord.unfinished(in: $0) }
  }

  /// Stores a take's new state.
  /// - Throws: `CatalogError.unknownTake`, `.illegalMove` where `TakeState.mayBecome` says no.
  package func setState(of take: TakeID, to state: TakeState) async throws {
    try await write { database in
      guard let current = try TakeRecord.state(of: take, in: database) else { throw CatalogError.unknownTake(take) }
      guard current.mayBecome(state) else { throw CatalogError.illegalMove(take, from: current, to: state) }
      try TakeRecord.setState(of: take, to: state, in: database)
    }
  }

  /// Forgets a take without tracks; its number is free again.
  /// - Throws: `CatalogError.unknownTake`, `.takeHasTracks`.
  package func discard(_ take: TakeID) async throws {
    try await write { database in
      guard let known = try TakeRecord.find(take, in: database) else { throw CatalogError.unknownTake(take) }
      guard known.trackCount == 0 else { throw CatalogError.takeHasTracks(take, count: known.trackCount) }
      try TakeRecord.delete(take, in: database)
    }
  }
}

extension SQLiteCatalog {
  /// Takes whose identifiers begin with `prefix` (in any case), the newest first, `limit` of them at most; none where
  /// no identifier can begin so.
  package func takes(beginningWith prefix: String, limit: Int = 5) async throws -> [Take] {
    guard let range = TakeID.range(beginningWith: prefix) else { return [] }
    return try await read { database in
      try TakeReader.fetch(
        database, sql: "\(TakeReader.select) WHERE takes.id BETWEEN ? AND ? ORDER BY takes.id DESC LIMIT ?",
        arguments: [range.lowerBound, range.upperBound, limit])
    }
  }
}
