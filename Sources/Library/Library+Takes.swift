import Music
import Recording
import Signaling

/// The editable fields of a take.
package struct TakeEdit: Hashable, Sendable {
  package var annotations: TakeAnnotations
  /// Nil for no song. A new song gives the take the next number of that song in its room.
  package var song: SongID?
}

extension Library {
  /// Edits a take.
  ///
  /// - Parameter ifRevision: the revision known to the caller; nil for any.
  /// - Returns: the take after the edit, with the same revision if `change` changed nothing.
  /// - Throws: `LibraryError.staleRevision`, `.unknownTake`, `.unknownSong`, `.value`, `.takeDeleted`; errors of
  ///   `change`; `FileProblem`, and errors of the index.
  package func edit(
    _ take: TakeID, ifRevision: Int? = nil, _ change: @Sendable (inout TakeEdit) throws -> Void
  ) async throws -> Take {
    try await locked { library in
      var open = try await open(take, ifRevision: ifRevision)
      let before = TakeEdit(annotations: open.edits.annotations, song: open.take.song?.id)
      var after = before
      try change(&after)
      try Library.check { try after.annotations.check(since: before.annotations) }
      guard after != before else { return open.take }
      open.edits.annotations = after.annotations
      if after.song != before.song {
        var song: Song?
        if let id = after.song {
          guard let found = try await index.song(id) else { throw LibraryError.unknownSong(id) }
          song = found
        }
        // Write a file for songs known only from takes, so that they survive those takes.
        for song in [open.take.song, song].compactMap(\.self) { try await fileSong(song, in: library) }
        let number = try await index.nextNumber(in: open.take.room, song: after.song, besides: open.take.id)
        open.edits.move = TakeEdits.Move(song: song.map { Song(id: $0.id, title: $0.title) }, number: number)
      }
      return try await write(open, in: library)
    }
  }

  /// A take that is being edited.
  struct OpenTake {
    var take: Take
    var folder: TakeFolder
    var edits: TakeEdits
  }

  /// Finds a take's folder and edits.
  func open(_ id: TakeID, ifRevision: Int?, fromTrash: Bool = false) async throws -> OpenTake {
    guard let take = try await index.take(id) else { throw LibraryError.unknownTake(id) }
    guard fromTrash == (take.deletedAt != nil) else {
      throw fromTrash ? LibraryError.takeNotDeleted(id) : LibraryError.takeDeleted(id)
    }
    guard let folder = try? TakeFolder(existing: take.folder, in: root) else {
      throw LibraryError.filesMissing(id, folder: take.folder)
    }
    let edits = try TakeEdits(of: id, in: folder)
    if let ifRevision, ifRevision != edits.revision {
      throw LibraryError.staleRevision(given: ifRevision, current: edits.revision)
    }
    return OpenTake(take: take, folder: folder, edits: edits)
  }

  /// Writes the edits of a take as the next revision; returns the edited take.
  func write(
    _ open: OpenTake, in library: TakeFolder, as kind: ServiceEventKind = .takeEdited
  ) async throws -> Take {
    var edits = open.edits
    edits.revision += 1
    try await write(
      .take(open.take.id, folders: [open.folder.path]), in: library, as: kind, revision: edits.revision
    ) {
      try edits.write(TakeEdits.fileName, in: open.folder)
    }
    guard let take = try await index.take(open.take.id) else { throw LibraryError.unknownTake(open.take.id) }
    return take
  }

  /// Converts a value's problem to a `LibraryError`.
  static func check(_ body: () throws -> Void) throws {
    do { try body() } catch let problem as ValueProblem { throw LibraryError.value(problem) }
  }
}
