import GRDB
import Music

extension SQLiteCatalog {
  /// Returns the song with this identifier; nil if there is none.
  package func song(_ id: SongID) async throws -> Song? {
    try await read { try SongRecord.find(id, in: $0)?.song }
  }

  /// Returns the song with this case-insensitive title, the oldest if there are several; nil if there is none.
  package func song(titled title: String) async throws -> Song? {
    guard let title = SongRecord.title(title) else { return nil }
    return try await read { try SongRecord.find(titled: title, in: $0) }
  }

  /// Returns one page of songs.
  /// - Throws: `CatalogError.invalidCursor`, `.limitOutOfRange`, `.value`.
  package func songs(_ query: BookQuery) async throws -> Page<Song> {
    let listing = try BookListing(.songs, query)
    return try await read { try listing.songs($0) }
  }

  /// Stores a song that has a file of its own.
  package func store(_ song: Song) async throws {
    try await write { database in
      let former = try SongRecord.find(song.id, in: database)
      let key = try SongRecord.store(song, isFiled: true, in: database)
      guard let former, former.song.title != song.title else { return }
      // Its takes are also found by its title.
      let takes = try Int64.fetchAll(database, sql: "SELECT key FROM takes WHERE song = ?", arguments: [key])
      for take in takes { try SearchRecord.refresh(take: take, in: database) }
    }
  }

  /// Removes a song without takes; false if it has takes or does not exist.
  package func remove(_ song: SongID) async throws -> Bool {
    try await write { database in
      guard let key = try SongRecord.find(song, in: database)?.key, try !SongRecord.isUsed(key, in: database)
      else { return false }
      try SongRecord.delete(key, in: database)
      return true
    }
  }

  /// Returns 1 + the highest number of a take of this song (or of none) in the room, including takes in the trash, `take`'s
  /// own aside.
  package func nextNumber(in room: RoomName, song: SongID?, besides take: TakeID) async throws -> Int {
    try await read { database in
      var key: Int64?
      if let song {
        // Its key would be NULL, as that of takes without a song.
        guard let found = try SongRecord.find(song, in: database)?.key else { return 1 }
        key = found
      }
      let place = try Int64.fetchOne(
        database, sql: "SELECT key FROM rooms WHERE name = ?", arguments: [RoomRecord.key(room)])
      return try TakeRecord.nextNumber(room: place, song: key, besides: take, in: database)
    }
  }
}

extension SQLiteCatalog {
  /// Adds a session, or updates the times of a known one (if a take came first, or it is reopened).
  /// - Throws: `CatalogError.sessionElsewhere`.
  package func open(_ session: Session) async throws {
    try await write { try SessionRecord.store(session, in: $0) }
  }

  /// Marks the end of a session.
  /// - Throws: `CatalogError.unknownSession`.
  package func close(_ session: SessionID, at time: WallTime) async throws {
    try await write { database in
      guard try SessionRecord.end(session, at: time, in: database) else { throw CatalogError.unknownSession(session) }
    }
  }

  /// Removes a session that has ended without any takes, and its room if nothing else is known of it.
  package func discard(_ session: SessionID, whenGone: @escaping @Sendable () -> Void) async throws {
    if try await write({ try SessionRecord.discard(session, in: $0) }) { whenGone() }
  }

  /// Ends all open sessions at the last known time of their takes.
  package func closeLeftSessions() async throws {
    try await write { try SessionRecord.endLeft(in: $0) }
  }

  /// Returns the session with this identifier; nil if there is none.
  package func session(_ id: SessionID) async throws -> Session? {
    try await read { try SessionRecord.find(id, in: $0) }
  }

  /// Returns one page of sessions, newest first.
  /// - Throws: `CatalogError.invalidCursor`, `.limitOutOfRange`.
  package func sessions(_ query: SessionQuery) async throws -> Page<Session> {
    let listing = try SessionListing(query)
    return try await read { try listing.fetch($0) }
  }

  /// Returns the sorted names of all rooms that ever had a session.
  package func rooms() async throws -> [RoomName] {
    // Sorted here, in the order of `RoomName` rather than of bytes.
    try await read { try RoomRecord.all(in: $0).sorted() }
  }
}

extension SQLiteCatalog {
  /// Returns the person with this identifier, now or formerly; after a merge, the person it was merged into.
  package func person(_ id: ParticipantID) async throws -> Person? {
    try await read { try PersonRecord.find(id, in: $0) }
  }

  /// Returns one page of people.
  /// - Throws: `CatalogError.invalidCursor`, `.limitOutOfRange`, `.value`.
  package func people(_ query: BookQuery) async throws -> Page<Person> {
    let listing = try BookListing(.people, query)
    return try await read { try listing.people($0) }
  }

  /// Stores a person's name, revision, and exactly the given merged identifiers; does nothing if the index knows
  /// none.
  package func store(_ person: Person) async throws {
    try await write { try PersonRecord.store(person, in: $0) }
  }
}
