import GRDB
import Music

extension SQLiteCatalog {
  /// Returns the take with this identifier; nil if there is none.
  package func take(_ id: TakeID) async throws -> Take? {
    try await read { try TakeRecord.find(id, in: $0) }
  }

  package func takeAtOnce(_ id: TakeID) throws -> IndexedTake? {
    try readAtOnce { try TakeRecord.findWhole(id, in: $0) } ?? nil
  }

  /// Returns one page of the takes that match `query`.
  ///
  /// Takes of the same millisecond are sorted by identifier if the filters are only room, song, state and time, and
  /// otherwise in the order in which they were stored.
  ///
  /// ```swift
  /// let page = try await catalog.takes(TakeQuery(room: room, limit: 20))
  /// let more = try await catalog.takes(TakeQuery(room: room, limit: 20, cursor: page.next))
  /// ```
  /// - Throws: `CatalogError.invalidCursor`, `.limitOutOfRange`, `.unsupportedSort`, `.value`.
  package func takes(_ query: TakeQuery) async throws -> Page<Take> {
    let listing = try TakeListing(query)
    return try await read { try listing.fetch($0) }
  }

  /// The text of the same page.
  package func takeText(_ query: TakeQuery) async throws -> PageText {
    let listing = try TakeListing(query)
    return try await read { try listing.text($0) }
  }

  /// The same, on the caller's thread; nil if that is not possible at once.
  package func takeTextAtOnce(_ query: TakeQuery) throws -> PageText? {
    let listing = try TakeListing(query, isPrompt: true)
    return try readAtOnce(isSnapshot: !listing.isAlongIndex) { try listing.text($0) }
  }

  /// Returns the tracks of a take, sorted by number; empty for an unknown take.
  package func tracks(of take: TakeID) async throws -> [Track] {
    try await read { try TrackRecord.fetch(of: take, in: $0) }
  }

  /// Returns the cues of a take, sorted by position; empty for an unknown take.
  package func cues(of take: TakeID) async throws -> [Cue] {
    try await read { try CueRecord.fetch(of: take, in: $0) }
  }

  /// Returns the files of a take in its manifest, sorted by name; empty for an unknown take.
  package func files(of take: TakeID) async throws -> [TakeFile] {
    try await read { try FileRecord.fetch(of: take, in: $0) }
  }

  /// Returns the rolling, captured and rendering takes, oldest first.
  package func unfinishedTakes() async throws -> [Take] {
    try await read { try TakeRecord.unfinished(in: $0) }
  }

  /// Stores a take's new state.
  /// - Throws: `CatalogError.unknownTake`; `.illegalMove` if `TakeState.mayBecome` forbids it.
  package func setState(of take: TakeID, to state: TakeState) async throws {
    try await write { database in
      guard let current = try TakeRecord.state(of: take, in: database) else { throw CatalogError.unknownTake(take) }
      guard current.mayBecome(state) else { throw CatalogError.illegalMove(take, from: current, to: state) }
      try TakeRecord.setState(of: take, to: state, in: database)
    }
  }

  /// Deletes a take without tracks; its number becomes free again.
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
  /// Returns up to `limit` takes whose identifiers begin with `prefix` (in either case), newest first; empty if no
  /// identifier can begin with it.
  package func takes(beginningWith prefix: String, limit: Int) async throws -> [Take] {
    guard let range = TakeID.range(beginningWith: prefix) else { return [] }
    return try await read { database in
      try TakeReader.fetch(
        database, sql: "\(TakeReader.select) WHERE takes.id BETWEEN ? AND ? ORDER BY takes.id DESC LIMIT ?",
        arguments: [range.lowerBound, range.upperBound, limit])
    }
  }
}
