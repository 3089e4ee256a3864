import GRDB
import Music

extension SQLiteCatalog {
  /// The song of this identifier, nil where there is none.
  package func song(_ id: SongID) async throws -> Song? {
    try await read { try SongRecord.find(id, in: $0)?.song }
  }

  /// The song of this title in any case, the oldest where there are several, nil where there is none.
  package func song(titled title: String) async throws -> Song? {
    guard let title = SongRecord.title(title) else { return nil }
    return try await read { try SongRecord.find(titled: title, in: $0) }
  }

  /// One page of songs.
  /// - Throws: `CatalogError.invalidCursor`, `.limitOutOfRange`, `.value`.
  package func songs(_ query: SongQuery) async throws -> Page<Song> {
    let listing = try SongListing(query)
    return try await read { try listing.fetch($0) }
  }

  /// Stores a song that has a file of its own.
  package func store(_ song: Song) async throws {
    try await write { database in
      let former = try SongRecord.find(song.id, in: database)
      let key = try SongRecord.store(song, isFiled: true, in: database)
      guard let former, former.song.title != song.title else { return }
      // Its takes are found by its title.
      let takes = try Int64.fetchAll(database, sql: "SELECT key FROM takes WHERE song = ?", arguments: [key])
      for take in takes { try SearchRecord.refresh(take: take, in: database) }
    }
  }

  /// Removes a song that no take has; false where one has it, or there is none.
  package func remove(_ song: SongID) async throws -> Bool {
    try await write { database in
      guard let key = try SongRecord.find(song, in: database)?.key, try !SongRecord.isUsed(key, in: database)
      else { return false }
      try SongRecord.delete(key, in: database)
      return true
    }
  }

  /// 1 + the highest number of a take of this song (or of none) in the room; takes in the trash count.
  package func nextNumber(in room: RoomName, song: SongID?) async throws -> Int {
    try await read { database in
      let highest = try Int.fetchOne(
        database,
        sql: """
          SELECT max(number) FROM takes
          WHERE room = (SELECT key FROM rooms WHERE name = ?) AND song IS (SELECT key FROM songs WHERE id = ?)
          """, arguments: [RoomRecord.key(room), song])
      return (highest ?? 0) + 1
    }
  }
}
