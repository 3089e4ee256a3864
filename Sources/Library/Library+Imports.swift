import Music
import Recording
import Signaling

extension Library {
  /// The folder in which imported takes are made; no room's folder begins with `_`.
  package static let imports = "_import"
  private static let importLock = "lock"

  /// A hidden folder in which a take is made; a process that is killed leaves it to the next import.
  package struct Workshop: Sendable {
    package let folder: TakeFolder
    let lock: FileLock
  }

  /// Opens a folder for a take that is to be imported, and removes those of killed processes.
  package func workshop(for take: TakeID) throws -> Workshop {
    let all = try TakeFolder.obtain(Library.imports, in: root)
    for name in try all.names() {
      let path = "\(Library.imports)/\(name)"
      guard let folder = try? TakeFolder(existing: path, in: root),
        let lock = try? FileLock(Library.importLock, in: folder)
      else { continue }
      try withExtendedLifetime(lock) { try TakeFolder.delete(path, in: root) }
    }
    let folder = try TakeFolder.obtain("\(Library.imports)/\(take)", in: root)
    guard let lock = try FileLock(Library.importLock, in: folder) else {
      throw LibraryError.busy
    }
    return Workshop(folder: folder, lock: lock)
  }

  /// Removes a workshop whose take is not wanted any more.
  package func abandon(_ workshop: Workshop) {
    try? TakeFolder.delete(workshop.folder.path, in: root)
  }

  /// The take that was made of these files, if it is still there.
  package func take(importedFrom files: [ImportedFile]) async throws -> Take? {
    guard let folder = try? TakeFolder(existing: ImportRecord.folder, in: root),
      let record = try ImportRecord.read(ImportRecord.name(of: files), in: folder)
    else { return nil }
    return try await index.take(record.take)
  }

  /// Puts a finished import into the song book: under the next number of its room and song, with one rename.
  ///
  /// - Parameter manifest: as `TakeImport` made it; its song is known to the index, or nil.
  /// - Returns: the take as stored.
  package func adopt(_ manifest: Manifest, from workshop: Workshop) async throws -> Take {
    let take = try await locked { library in
      var manifest = manifest
      var take = manifest.take
      if let id = take.song?.id {
        guard let song = try await index.song(id) else { throw LibraryError.unknownSong(id) }
        try await fileSong(song, in: library)
        take.song = song
      }
      take.number = try await index.nextNumber(in: take.room, song: take.song?.id, besides: take.id)
      take.folder = try await free(TakeFolder.relativePath(for: take))
      manifest.take = take
      let (made, target) = (manifest, take.folder)
      try await write(.take(take.id, folders: [target]), in: library, as: .takeReady, revision: take.revision) {
        try made.write(in: workshop.folder)
        if let files = made.imported {
          try ImportRecord(take: take.id, files: files).write(
            ImportRecord.name(of: files), in: TakeFolder.obtain(ImportRecord.folder, in: root))
        }
        try EditStep.passed(.begun)
        try TakeFolder.move(workshop.folder.path, to: target, in: root)
        // Not before: another import takes a workshop without a lock for that of a killed process, and empties it.
        try? workshop.folder.remove(Library.importLock)
      }
      return take
    }
    // Other takes of the session may begin earlier and end later.
    var session = manifest.session
    let known = try await index.session(session.id)
    session.startedAt = min(session.startedAt, known?.startedAt ?? take.startedAt, take.startedAt)
    session.endedAt = [known?.endedAt, take.endedAt].compactMap(\.self).max()
    try await close(session)
    return try await index.take(take.id) ?? take
  }
}
