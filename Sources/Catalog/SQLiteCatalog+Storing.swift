import GRDB
import Music

extension SQLiteCatalog {
  /// Adds a take with the next number of its room and song, and returns it as stored.
  ///
  /// The session and the song are added if necessary. A blank title counts as none; `take.song` is only used without
  /// a title. Times are stored in milliseconds.
  /// - Throws: `CatalogError.takeExists`, `.sessionElsewhere`, `.conflict` when another take has the folder.
  package func create(
    _ take: Take, songTitle: String?, folder: @escaping @Sendable (Take) -> String
  ) async throws -> Take {
    try await write { database in
      guard try TakeRecord.state(of: take.id, in: database) == nil else { throw CatalogError.takeExists(take.id) }
      var take = take
      if let title = songTitle.flatMap(SongRecord.title) {
        take.song = try SongRecord.findOrAdd(title, at: take.startedAt, in: database)
      } else if let song = take.song {
        // It may have been renamed since the caller read it.
        take.song = try SongRecord.find(song.id, in: database)?.song ?? song
      }
      let references = try TakeRecord.References(of: take, in: database)
      take.number = try TakeRecord.nextNumber(
        room: references.room, song: references.song, besides: take.id, in: database)
      take.startedAt = WallTime(milliseconds: take.startedAt.milliseconds)
      take.endedAt = take.endedAt.map { WallTime(milliseconds: $0.milliseconds) }
      take.folder = folder(take)
      let key = try TakeRecord.store(take, references, in: database)
      try SearchRecord.refresh(take: key, in: database)
      return take
    }
  }

  /// Stores a take with its session, tracks, cues and files in one transaction, replacing the previous version.
  ///
  /// Room, session, song and participants are added if necessary, so that a manifest alone is sufficient.
  /// `take.trackCount` is computed from the tracks. The stored take may be several states behind, but never ahead.
  /// - Throws: `CatalogError.trackOfAnotherTake`, `.illegalMove`, `.sessionElsewhere`; `.conflict` if a track, cue or
  ///   folder belongs to another take or a value is out of range. Nothing is changed then.
  package func store(_ contents: TakeContents) async throws {
    try contents.check()
    try await write { try contents.store(in: $0) }
  }

  /// Removes a take whose files have been deleted, with any song and people known only from it.
  package func remove(_ take: TakeID) async throws {
    try await write { try TakeRecord.delete(take, in: $0) }
  }
}

extension TakeContents {
  /// - Throws: `CatalogError.trackOfAnotherTake`.
  func check() throws(CatalogError) {
    if let stray = tracks.first(where: { $0.take != take.id }) { throw .trackOfAnotherTake(stray.id, take: take.id) }
  }

  func store(in database: Database) throws {
    if let current = try TakeRecord.state(of: take.id, in: database), !current.mayReach(take.state) {
      throw CatalogError.illegalMove(take.id, from: current, to: take.state)
    }
    if let session { try SessionRecord.store(session, in: database) }
    var take = take
    take.trackCount = tracks.count
    let references = try TakeRecord.References(of: take, in: database)
    let formerSong = try Int64.fetchOne(database, sql: "SELECT song FROM takes WHERE id = ?", arguments: [take.id])
    let key = try TakeRecord.store(take, references, in: database)
    try TrackRecord.replace(ofTake: key, with: tracks, at: take.startedAt, in: database)
    try CueRecord.replace(ofTake: key, with: cues, in: database)
    try FileRecord.replace(ofTake: key, with: files, in: database)
    try SearchRecord.refresh(take: key, in: database)
    if let formerSong, formerSong != references.song { try SongRecord.deleteIfLeft(formerSong, in: database) }
  }
}

extension TakeState {
  /// True if `goal` is this state or reachable from it by permitted changes.
  ///
  /// After a crash, a manifest may be several states ahead of the index, but never behind it.
  func mayReach(_ goal: TakeState) -> Bool {
    var reached: Set<TakeState> = [self]
    var edge = reached
    while !edge.isEmpty {
      edge = Set(TakeState.allCases.filter { next in edge.contains { $0.mayBecome(next) } }).subtracting(reached)
      reached.formUnion(edge)
    }
    return reached.contains(goal)
  }
}

extension TakeIndex {
  /// Stores a finished take with all its tracks and cues in one transaction, replacing the previous version.
  package func store(_ take: Take, tracks: [Track], cues: [Cue]) async throws {
    try await store(TakeContents(take: take, tracks: tracks, cues: cues))
  }
}
