import Catalog
import Music
import Recording

/// A take of the data folder whose files can be exported.
struct ExportedTake {
  let folder: TakeFolder
  let source: ExportSource
  /// The files to export, with the current names.
  let manifest: Manifest
  var take: Take { source.take }
  var cues: [Cue] { source.cues }

  /// - Parameter isLossless: true to use the lossless versions of tracks that have one.
  /// - Throws: `CommandFailure` if the take is not finished, `FileProblem`, `CatalogError`.
  init(_ take: Take, on shelf: TakeShelf, isLossless: Bool = false) async throws {
    folder = try shelf.finishedFolder(of: take)
    guard folder.has(TakeFolder.manifestName) else {
      throw CommandFailure(
        ExitCodes.unsuitable,
        "the take \(take.id) is \(take.state.rawValue) and has no files; \"jamjar takes render\" makes them")
    }
    source = ExportSource(
      take: take, manifest: try Manifest(of: folder), cues: try await shelf.index.cues(of: take.id),
      lossless: isLossless ? try LosslessTracks(of: take.id, in: folder) : nil)
    manifest = source.manifest(isLossless ? .lossless : .take)
  }
}
