import Music
import Recording
import Signaling

extension Library {
  /// Adds a song under its own identifier; its revision becomes 1.
  /// - Throws: `LibraryError.songExists`, `.titleTaken`, `.value`.
  package func createSong(_ song: Song) async throws -> Song {
    try await locked { library in
      var song = song
      song.revision = 1
      try Library.check { try song.check() }
      guard try await index.song(song.id) == nil else { throw LibraryError.songExists(song.id) }
      try await checkTitle(of: song)
      return try await write(song, in: library, as: .songCreated)
    }
  }

  /// The song with this title, ignoring case; created if it does not exist.
  package func song(titled title: String) async throws -> Song {
    if let song = try await index.song(titled: title) { return song }
    do {
      return try await createSong(Song(id: SongID(at: MonotonicClock.wall), title: title))
    } catch LibraryError.titleTaken(_, let id) {
      // Another edit has just added it.
      guard let song = try await index.song(id) else { throw LibraryError.unknownSong(id) }
      return song
    }
  }

  /// Changes a song; its identifier stays.
  /// - Throws: `LibraryError.staleRevision`, `.unknownSong`, `.titleTaken`, `.value`; errors of `change`.
  package func editSong(
    _ id: SongID, ifRevision: Int? = nil, _ change: @Sendable (inout Song) throws -> Void
  ) async throws -> Song {
    try await locked { library in
      guard let former = try await index.song(id) else { throw LibraryError.unknownSong(id) }
      try Library.check(ifRevision, against: former.revision)
      var song = former
      try change(&song)
      song.id = id
      song.revision = former.revision
      guard song != former else { return former }
      try Library.check { try song.check(since: former) }
      if song.title != former.title { try await checkTitle(of: song) }
      song.revision += 1
      return try await write(song, in: library, as: .songEdited)
    }
  }

  /// Removes a song that is not used by any take: first its file, then its row.
  /// - Throws: `LibraryError.staleRevision`, `.unknownSong`, `.songInUse`.
  package func deleteSong(_ id: SongID, ifRevision: Int? = nil) async throws {
    try await locked { library in
      guard let song = try await index.song(id) else { throw LibraryError.unknownSong(id) }
      try Library.check(ifRevision, against: song.revision)
      guard try await !hasTakes(id) else { throw LibraryError.songInUse(id) }
      try await write(.song(id), in: library, as: .songDeleted, revision: song.revision) {
        let folder = try TakeFolder.obtain(SongFile.folder, in: root)
        try folder.remove(SongFile.name(of: id))
        try EditStep.passed(.begun)
        try folder.synchronize()
      }
      // A take of it may have begun in between.
      guard try await index.song(id) == nil else { throw LibraryError.songInUse(id) }
    }
  }

  /// True if there are takes of the song, perhaps in the trash.
  func hasTakes(_ song: SongID) async throws -> Bool {
    for shelf in TakeQuery.Shelf.allCases {
      if try await !index.takes(TakeQuery(song: song, shelf: shelf, limit: 1)).items.isEmpty { return true }
    }
    return false
  }

  static func check(_ given: Int?, against current: Int) throws(LibraryError) {
    if let given, given != current { throw .staleRevision(given: given, current: current) }
  }

  private func checkTitle(of song: Song) async throws {
    guard let other = try await index.song(titled: song.title), other.id != song.id else { return }
    throw LibraryError.titleTaken(other.title, by: other.id)
  }

  /// - Parameter kind: nil if nobody has edited the song.
  private func write(_ song: Song, in library: TakeFolder, as kind: ServiceEventKind?) async throws -> Song {
    try await write(.song(song.id), in: library, as: kind, revision: song.revision) {
      try SongFile(song).write(SongFile.name(of: song.id), in: TakeFolder.obtain(SongFile.folder, in: root))
    }
    return song
  }

  /// Writes a file for a song known only from takes.
  func fileSong(_ song: Song, in library: TakeFolder) async throws {
    let folder = try TakeFolder.obtain(SongFile.folder, in: root)
    guard !folder.has(SongFile.name(of: song.id)) else { return }
    _ = try await write(song, in: library, as: nil)
  }

  /// Stores the state on disk of a song.
  func indexSong(_ id: SongID) async throws {
    let folder = try TakeFolder.obtain(SongFile.folder, in: root)
    if let file = try SongFile.read(SongFile.name(of: id), in: folder) {
      try await index.store(file.song)
    } else if try await !index.remove(id), let song = try await index.song(id) {
      // A take of it began while its file was being removed.
      try SongFile(song).write(SongFile.name(of: id), in: folder)
    }
  }
}
