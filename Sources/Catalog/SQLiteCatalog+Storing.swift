import GRDB
import Music

extension SQLiteCatalog {
  /// Adds a take under the next number of its room and song, and answers with it as it was stored.
  ///
  /// The session and the song are added where they are not known yet. A blank title is none; `take.song` counts only
  /// where there is no title. Times are kept in milliseconds.
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
        // It may have been renamed since the caller learnt of it.
        take.song = try SongRecord.find(song.id, in: database)?.song ?? song
      }
      let references = try TakeRecord.References(of: take, in: database)
      take.number = try TakeRecord.nextNumber(for: references, in: database)
      take.startedAt = WallTime(milliseconds: take.startedAt.milliseconds)
      take.endedAt = take.endedAt.map { WallTime(milliseconds: $0.milliseconds) }
      take.folder = folder(take)
      let key = try TakeRecord.store(take, references, in: database)
      try SearchRecord.refresh(take: key, in: database)
      return take
    }
  }

  /// Stores a take with its session, tracks, cues and files in one transaction, replacing what was there.
  ///
  /// Room, session, song and participants are added where they are not known yet, so that a manifest alone is enough.
  /// `take.trackCount` is taken from the tracks. A take that is known may be several moves behind, never ahead.
  /// - Throws: `CatalogError.trackOfAnotherTake`, `.illegalMove`, `.sessionElsewhere`, `.conflict` when a track, cue or
  ///   folder belongs to another take already or a value is out of range; then nothing was changed.
  package func store(_ contents: TakeContents) async throws {
    try contents.check()
    try await write { try contents.store(in: $0) }
  }

  /// Removes a take whose files are gone, with the song and the people of whom nothing else tells.
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
  /// Whether `goal` is this state or can be reached from it by any number of allowed moves.
  ///
  /// A manifest may be several moves ahead of the index (a crash lay between), but never behind it.
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
  /// Stores a finished take with all its tracks and cues in one transaction, replacing what was there.
  package func store(_ take: Take, tracks: [Track], cues: [Cue]) async throws {
    try await store(TakeContents(take: take, tracks: tracks, cues: cues))
  }
}
