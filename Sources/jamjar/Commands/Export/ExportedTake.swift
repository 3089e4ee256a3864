import Catalog
import Music
import Recording

/// A take whose files can be exported.
struct ExportedTake {
  let take: Take
  let folder: TakeFolder
  let manifest: Manifest
  /// As the index knows them: they may have been edited since the take's end.
  let cues: [Cue]

  /// - Throws: `CommandFailure` for a take that is not finished, `FileProblem`, `CatalogError`.
  init(_ take: Take, on shelf: TakeShelf) async throws {
    self.take = take
    folder = try shelf.finishedFolder(of: take)
    guard folder.has(TakeFolder.manifestName) else {
      throw CommandFailure(
        ExitCodes.unsuitable,
        "the take \(take.id) is \(take.state.rawValue) and has no files; \"jamjar takes render\" makes them")
    }
    manifest = try await shelf.manifest(of: take)
    cues = try await shelf.index.cues(of: take.id)
  }
}
