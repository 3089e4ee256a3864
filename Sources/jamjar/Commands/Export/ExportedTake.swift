import Catalog
import Music
import Recording

/// A take whose files can be exported.
struct ExportedTake {
  let take: Take
  let folder: TakeFolder
  let manifest: Manifest
  /// The index's current values, which may have been edited since the end of the take.
  let cues: [Cue]

  /// - Parameter isLossless: true to use the lossless versions of tracks that have one.
  /// - Throws: `CommandFailure` if the take is not finished, `FileProblem`, `CatalogError`.
  init(_ take: Take, on shelf: TakeShelf, isLossless: Bool = false) async throws {
    self.take = take
    folder = try shelf.finishedFolder(of: take)
    guard folder.has(TakeFolder.manifestName) else {
      throw CommandFailure(
        ExitCodes.unsuitable,
        "the take \(take.id) is \(take.state.rawValue) and has no files; \"jamjar takes render\" makes them")
    }
    let own = try await shelf.manifest(of: take)
    manifest = isLossless ? own.replacing(by: try LosslessTracks(of: take.id, in: folder)) : own
    cues = try await shelf.index.cues(of: take.id)
  }
}
