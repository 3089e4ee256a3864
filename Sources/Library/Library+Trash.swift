import Music
import Recording
import Signaling

extension Library {
  /// Default time that a take stays in the trash, in days.
  package static let defaultTrashDays = 30
  /// Maximum number of folder names tried by a restore.
  private static let maximumAttempts = 100

  /// Moves a take with all its files to the trash.
  ///
  /// The order is: `annotations.json`, the folder's rename, the index. After a kill in between, the rename decides
  /// where the take is, and the next edit or start of the service updates the index.
  /// - Throws: `LibraryError.takeBusy` if the take is rolling or being finished, `.staleRevision`, `.unknownTake`,
  ///   `.takeDeleted`.
  package func delete(_ take: TakeID, ifRevision: Int? = nil) async throws -> Take {
    try await locked { library in
      let open = try await open(take, ifRevision: ifRevision)
      guard [.ready, .incomplete, .failed].contains(open.take.state) else {
        throw LibraryError.takeBusy(take, open.take.state)
      }
      var edits = open.edits
      edits.revision += 1
      edits.deletion = TakeEdits.Deletion(at: MonotonicClock.wall, from: open.folder.path)
      let target = "\(Library.trash)/\(take)"
      // The trash first: a take whose folder is there is in the trash.
      try await move(open, to: target, edits, as: .takeDeleted, in: library)
      return try await found(take)
    }
  }

  /// Restores a take from the trash to its former folder, or to one beside it if that name is taken.
  /// - Throws: `LibraryError.takeNotDeleted`, `.staleRevision`, `.unknownTake`.
  package func restore(_ take: TakeID, ifRevision: Int? = nil) async throws -> Take {
    try await locked { library in
      let open = try await open(take, ifRevision: ifRevision, fromTrash: true)
      var edits = open.edits
      edits.revision += 1
      let home = edits.deletion?.from ?? TakeFolder.relativePath(for: open.take)
      edits.deletion = nil
      let target = try await free(home)
      try await move(open, to: target, edits, as: .takeRestored, in: library)
      return try await found(take)
    }
  }

  private func move(
    _ open: OpenTake, to target: String, _ edits: TakeEdits, as kind: ServiceEventKind, in library: TakeFolder
  ) async throws {
    try await write(
      .take(open.take.id, folders: [target, open.folder.path]), in: library, as: kind, revision: edits.revision
    ) {
      try edits.write(TakeEdits.fileName, in: open.folder)
      try EditStep.passed(.begun)
      try TakeFolder.move(open.folder.path, to: target, in: root)
    }
  }

  /// Removes a take in the trash for good: journal first, then the other files, then its row.
  /// - Throws: `LibraryError.takeNotDeleted`, `.unknownTake`.
  package func purge(_ take: TakeID) async throws {
    try await locked { library in
      guard let known = try await index.take(take) else { throw LibraryError.unknownTake(take) }
      guard known.deletedAt != nil, Library.isTrash(known.folder) else { throw LibraryError.takeNotDeleted(take) }
      try await write(.purge(take, folder: known.folder), in: library, as: .takePurged, room: known.room) {}
    }
  }

  /// Removes the remains of a take that is being purged; can be called again after an interruption.
  func finishPurge(_ take: TakeID, folder: String) async throws {
    guard Library.isTrash(folder) else { throw LibraryError.takeNotDeleted(take) }
    // Before the list of its objects goes.
    try TakeObjects.notePurge(of: take, folder: folder, in: root)
    try TakeFolder.delete(folder, in: root)
    try await index.remove(take)
  }

  private func found(_ id: TakeID) async throws -> Take {
    guard let take = try await index.take(id) else { throw LibraryError.unknownTake(id) }
    return take
  }

  /// The first of `path`, `path-2`, `path-3` … that does not exist.
  func free(_ path: String) async throws -> String {
    for attempt in 1...Library.maximumAttempts {
      let candidate = attempt == 1 ? path : "\(path)-\(attempt)"
      do throws(FileProblem) {
        _ = try TakeFolder(existing: candidate, in: root)
      } catch  where error.isMissing {
        return candidate
      } catch {
        continue
      }
    }
    return path
  }
}
