import Foundation
import Music
import Recording

extension Library {
  /// Stores a take finished by the recorder, with the edits made in the meantime.
  ///
  /// - Parameter contents: the take as it was recorded.
  package func shelve(_ contents: TakeContents) async throws {
    try await locked(within: Library.takePatience) { _ in
      var contents = contents
      // It may have been moved, for example to the trash, while being rendered.
      if let known = try await index.take(contents.take.id) { contents.take.folder = known.folder }
      try await index.store(try shelved(contents))
    }
  }

  /// A take as it was recorded, with its edits and its folder.
  package func shelved(_ contents: TakeContents) throws -> TakeContents {
    let folder = try TakeFolder(existing: contents.take.folder, in: root)
    let edits = try TakeEdits(of: contents.take.id, in: folder)
    var contents = edits.applied(to: contents)
    contents.take.folder = folder.path
    contents.take.deletedAt =
      Library.isTrash(folder.path)
      ? edits.deletion?.at ?? contents.take.endedAt ?? contents.take.startedAt : nil
    return contents
  }

  static func isTrash(_ path: String) -> Bool { path.hasPrefix(trash + "/") }

  /// Stores the state on disk of a take in one of `folders`, or in its folder according to the index.
  func indexTake(_ id: TakeID, in folders: [String]) async throws {
    let known = try await index.take(id)
    for path in folders + [known?.folder].compactMap(\.self) {
      guard let folder = try? TakeFolder(existing: path, in: root), isHome(of: id, folder) else { continue }
      if folder.has(TakeFolder.manifestName) {
        var contents = try Manifest(of: folder).contents
        // A take that is being rendered again keeps that state.
        if let known { contents.take.state = known.state }
        return try await index.store(try shelved(contents))
      }
      // It is rolling, or its render failed: the rest is known only from the index.
      guard var take = known else { return }
      take.folder = path
      return try await index.store(
        try shelved(TakeContents(take: take, tracks: try await index.tracks(of: id), cues: [])))
    }
  }

  /// True if the folder is the take's: another take may have taken the name.
  private func isHome(of id: TakeID, _ folder: TakeFolder) -> Bool {
    if let edits = try? TakeEdits.read(TakeEdits.fileName, in: folder) { return edits.take == id }
    if let manifest = try? Manifest(of: folder) { return manifest.take.id == id }
    return folder.has(TakeFolder.journalName)
  }
}
