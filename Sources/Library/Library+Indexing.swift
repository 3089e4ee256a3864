import Foundation
import Music
import Recording

extension Library {
  /// Stores a take that the recorder has finished, with what people changed of it meanwhile.
  ///
  /// - Parameter contents: the take as it was recorded.
  package func shelve(_ contents: TakeContents) async throws {
    try await locked(within: Library.takePatience) { _ in
      var contents = contents
      // It may have been moved (to the trash, say) while it was rendered.
      if let known = try await index.take(contents.take.id) { contents.take.folder = known.folder }
      try await index.store(try shelved(contents))
    }
  }

  /// A take as it was recorded, with what people changed of it and where it lies.
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

  /// Stores what the disk says of a take that is in one of `folders`, or where the index has it.
  func indexTake(_ id: TakeID, in folders: [String]) async throws {
    let known = try await index.take(id)
    for path in folders + [known?.folder].compactMap(\.self) {
      guard let folder = try? TakeFolder(existing: path, in: root), isHome(of: id, folder) else { continue }
      if folder.has(TakeFolder.manifestName) {
        var contents = try Manifest(of: folder).contents
        // A take that is rendered again at this moment stays so.
        if let known { contents.take.state = known.state }
        return try await index.store(try shelved(contents))
      }
      // It rolls, or its render failed: the index alone knows the rest.
      guard var take = known else { return }
      take.folder = path
      return try await index.store(
        try shelved(TakeContents(take: take, tracks: try await index.tracks(of: id), cues: [])))
    }
  }

  /// Whether the folder is the take's: another may have taken the name.
  private func isHome(of id: TakeID, _ folder: TakeFolder) -> Bool {
    if let edits = try? TakeEdits.read(TakeEdits.fileName, in: folder) { return edits.take == id }
    if let manifest = try? Manifest(of: folder) { return manifest.take.id == id }
    return folder.has(TakeFolder.journalName)
  }
}
