import Music

extension PostgreSQLCatalog {
  package func open(_ session: Session) async throws {
    try await write { try PostgreSQLSessions.store(session, in: $0) }
  }

  package func close(_ session: SessionID, at time: WallTime) async throws {
    try await write { database in
      guard try PostgreSQLSessions.end(session, at: time, in: database) else {
        throw CatalogError.unknownSession(session)
      }
    }
  }

  package func discard(_ session: SessionID, whenGone: @escaping @Sendable () -> Void) async throws {
    if try await write({ try PostgreSQLSessions.discard(session, in: $0) }) { whenGone() }
  }

  package func closeLeftSessions() async throws {
    try await write { try PostgreSQLSessions.endLeft(in: $0) }
  }

  package func create(
    _ take: Take, songTitle: String?, folder: @escaping @Sendable (Take) -> String
  ) async throws -> Take {
    try await write { database in
      guard try PostgreSQLTakes.key(of: take.id, in: database) == nil else { throw CatalogError.takeExists(take.id) }
      var take = take
      if let title = songTitle.flatMap(SongRecord.title) {
        take.song = try PostgreSQLSongs.findOrAdd(title, at: take.startedAt, in: database)
      } else if let song = take.song {
        // It may have been renamed since the caller read it.
        take.song = try PostgreSQLSongs.find(song.id, in: database)?.song ?? song
      }
      let references = try PostgreSQLTakes.References(of: take, in: database)
      take.number = try PostgreSQLTakes.nextNumber(
        room: references.room, song: references.song, besides: take.id, in: database)
      take.startedAt = WallTime(milliseconds: take.startedAt.milliseconds)
      take.endedAt = take.endedAt.map { WallTime(milliseconds: $0.milliseconds) }
      take.folder = folder(take)
      let key = try PostgreSQLTakes.store(take, references, in: database)
      try PostgreSQLSearch.refresh(take: key, in: database)
      return take
    }
  }

  package func setState(of take: TakeID, to state: TakeState) async throws {
    try await write { database in
      guard let current = try PostgreSQLTakes.state(of: take, in: database) else {
        throw CatalogError.unknownTake(take)
      }
      guard current.mayBecome(state) else { throw CatalogError.illegalMove(take, from: current, to: state) }
      try database.execute("UPDATE takes SET state = $1 WHERE id = $2", [state, take])
    }
  }

  package func discard(_ take: TakeID) async throws {
    try await write { database in
      guard let known = try PostgreSQLTakes.find(take, in: database) else { throw CatalogError.unknownTake(take) }
      guard known.trackCount == 0 else { throw CatalogError.takeHasTracks(take, count: known.trackCount) }
      try PostgreSQLTakes.delete(take, in: database)
    }
  }

  package func unfinishedTakes() async throws -> [Take] {
    let states: [TakeState] = [.rolling, .captured, .rendering]
    return try await read(isSnapshot: false) { database in
      try PostgreSQLTakes.fetch(
        """
        \(PostgreSQLTakes.select)
        WHERE takes.state IN ($1, $2, $3) AND takes.deleted_at IS NULL
        ORDER BY takes.started_at, takes.id
        """, states, in: database)
    }
  }

  package func store(_ contents: TakeContents) async throws { try await store([contents]) }

  package func store(_ all: [TakeContents]) async throws {
    for contents in all { try contents.check() }
    try await write { database in
      for contents in all { try contents.store(in: database) }
    }
  }

  package func store(_ song: Song) async throws {
    try await write { database in
      let former = try PostgreSQLSongs.find(song.id, in: database)
      let key = try PostgreSQLSongs.store(song, isFiled: true, in: database)
      guard let former, former.song.title != song.title else { return }
      // Its takes are also found by its title.
      for take in try database.integers("SELECT key FROM takes WHERE song = $1", [key]) {
        try PostgreSQLSearch.refresh(take: take, in: database)
      }
    }
  }

  package func store(_ person: Person) async throws {
    try await write { try PostgreSQLPeople.store(person, in: $0) }
  }

  package func remove(_ take: TakeID) async throws {
    try await write { try PostgreSQLTakes.delete(take, in: $0) }
  }

  package func remove(_ song: SongID) async throws -> Bool {
    try await write { database in
      guard let key = try PostgreSQLSongs.find(song, in: database)?.key,
        try !PostgreSQLSongs.isUsed(key, in: database)
      else { return false }
      try PostgreSQLSongs.delete(key, in: database)
      return true
    }
  }

  package func nextNumber(in room: RoomName, song: SongID?, besides take: TakeID) async throws -> Int {
    try await read { database in
      var key: Int64?
      if let song {
        // Its key would be NULL, as that of takes without a song.
        guard let found = try PostgreSQLSongs.find(song, in: database)?.key else { return 1 }
        key = found
      }
      return try PostgreSQLTakes.nextNumber(
        room: try PostgreSQLSessions.find(room, in: database), song: key, besides: take, in: database)
    }
  }
}

// MARK: Reading

extension PostgreSQLCatalog {
  package func take(_ id: TakeID) async throws -> Take? {
    try await read(isSnapshot: false) { try PostgreSQLTakes.find(id, in: $0) }
  }

  package func takes(_ query: TakeQuery) async throws -> Page<Take> {
    let listing = try TakeListing(query)
    return try await read { try listing.fetch($0) }
  }

  package func takeText(_ query: TakeQuery) async throws -> PageText {
    let listing = try TakeListing(query)
    return try await read { try listing.text($0) }
  }

  package func takes(beginningWith prefix: String, limit: Int) async throws -> [Take] {
    guard let range = TakeID.range(beginningWith: prefix) else { return [] }
    return try await read(isSnapshot: false) { database in
      try PostgreSQLTakes.fetch(
        "\(PostgreSQLTakes.select) WHERE takes.id BETWEEN $1 AND $2 ORDER BY takes.id DESC LIMIT $3",
        [range.lowerBound, range.upperBound, limit], in: database)
    }
  }

  package func tracks(of take: TakeID) async throws -> [Track] {
    try await read { try PostgreSQLTracks.fetch(of: take, in: $0) }
  }

  package func cues(of take: TakeID) async throws -> [Cue] {
    try await read(isSnapshot: false) { try PostgreSQLCues.fetch(of: take, in: $0) }
  }

  package func files(of take: TakeID) async throws -> [TakeFile] {
    try await read(isSnapshot: false) { try PostgreSQLFiles.fetch(of: take, in: $0) }
  }

  package func rooms() async throws -> [RoomName] {
    // Sorted here, in the order of `RoomName` rather than of bytes.
    try await read(isSnapshot: false) { try PostgreSQLSessions.rooms(in: $0).sorted() }
  }

  package func session(_ id: SessionID) async throws -> Session? {
    try await read(isSnapshot: false) { try PostgreSQLSessions.find(id, in: $0) }
  }

  package func sessions(_ query: SessionQuery) async throws -> Page<Session> {
    let listing = try SessionListing(query)
    return try await read(isSnapshot: false) { try listing.fetch($0) }
  }

  package func song(_ id: SongID) async throws -> Song? {
    try await read(isSnapshot: false) { try PostgreSQLSongs.find(id, in: $0)?.song }
  }

  package func song(titled title: String) async throws -> Song? {
    guard let title = SongRecord.title(title) else { return nil }
    return try await read(isSnapshot: false) { try PostgreSQLSongs.find(titled: title, in: $0) }
  }

  package func songs(_ query: BookQuery) async throws -> Page<Song> {
    let listing = try BookListing(.songs, query)
    return try await read(isSnapshot: false) { try listing.songs($0) }
  }

  package func person(_ id: ParticipantID) async throws -> Person? {
    try await read { try PostgreSQLPeople.find(id, in: $0) }
  }

  package func people(_ query: BookQuery) async throws -> Page<Person> {
    let listing = try BookListing(.people, query)
    return try await read { try listing.people($0) }
  }
}
