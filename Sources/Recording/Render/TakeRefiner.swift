import Machines
import Music

/// The second pass over a take. It reads the whole journal with hindsight; if that places or recovers more than the
/// first render, it renders the files again and replaces them.
///
/// The new files are made in a separate folder. The take's files are then replaced together, the manifest last; until
/// then, the take is not touched. Used from one thread.
package struct TakeRefiner {
  /// Folder for new files, below the data folder.
  package static let workplace = TakeFolder.reservedPrefix + "refining"

  private let folder: TakeFolder
  private let root: String
  private let manifest: Manifest
  private let found = Found()

  /// The results of the examination, for the next render.
  private final class Found {
    var lines: [StreamKey: WholeTakeLine] = [:]
  }

  /// - Parameters:
  ///   - folder: folder of the take, with its journal and manifest.
  ///   - root: the data folder.
  /// - Throws: `FileProblem` if the take has no manifest.
  package init(folder: TakeFolder, root: String) throws(FileProblem) {
    self.folder = folder
    self.root = root
    manifest = try Manifest(of: folder)
  }

  /// Examines the take in `folder` again, and renders its files again if that improves them; nil if it does not.
  ///
  /// - Parameters:
  ///   - options: options of the first render.
  ///   - proceed: called for every frame; an error it throws ends the work and leaves the take unchanged.
  /// - Throws: as `examine`.
  package static func refine(
    _ folder: TakeFolder, root: String, options: RenderOptions, _ proceed: () throws -> Void
  ) throws -> RenderedTake? {
    let refiner = try TakeRefiner(folder: folder, root: root)
    // Lossless tracks from musicians' own recordings are aligned with the current files.
    guard try !refiner.hasLosslessTracks else { return nil }
    let refinement = try refiner.examine(options: options, proceed)
    guard refinement.isWorthwhile else { return nil }
    return try refiner.replace(by: refinement, options: options, proceed)
  }

  /// True if lossless tracks were aligned with the take's files.
  private var hasLosslessTracks: Bool {
    get throws(FileProblem) { try !LosslessTracks(of: manifest.take.id, in: folder).tracks.isEmpty }
  }

  /// Determines what would change in the take's files; reads the journal and writes nothing.
  ///
  /// - Parameter proceed: called for every frame; an error it throws ends the work.
  /// - Throws: `FileProblem`, `JournalDamage`, `RenderProblem`, `OpusFailure`, and errors of `proceed`.
  package func examine(options: RenderOptions, _ proceed: () throws -> Void = {}) throws -> Refinement {
    var journal = try JournalFollower(folder: folder)
    var examination: Examination?
    while let frame = try journal.next(isComplete: true) {
      try proceed()
      guard let header = journal.header else { break }
      let current = examination ?? Examination(header: header, options: options)
      examination = current
      try current.handle(frame)
    }
    let refinement = try examination?.finish() ?? Refinement(packets: 0, droppedPackets: 0, greatestMove: 0)
    found.lines = examination?.lines ?? [:]
    return refinement
  }

  /// `options` with the results of `examine`.
  package func refined(_ options: RenderOptions) -> RenderOptions {
    var options = options.withHindsight
    options.lines = found.lines
    return options
  }

  /// Renders the take's files again with hindsight and replaces the old ones.
  ///
  /// - Parameters:
  ///   - refinement: the results of the examination, for the manifest.
  ///   - proceed: called for every frame; an error it throws ends the work and leaves the take unchanged.
  /// - Throws: as `examine`.
  package func replace(
    by refinement: Refinement, options: RenderOptions, _ proceed: () throws -> Void = {}
  ) throws -> RenderedTake {
    let path = "\(TakeRefiner.workplace)/\(manifest.take.id)"
    let workplace = try TakeFolder.obtain(path, in: root)
    defer { try? TakeFolder.delete(path, in: root) }
    let renderer = try TakeRenderer(
      folder: folder, take: manifest.take, options: refined(options), output: workplace)
    while try renderer.step() { try proceed() }
    var rendered = try renderer.finish(notes: [refinement.description])
    // Notes made at the take's end may come from outside the journal, so they are kept.
    rendered.notes = manifest.notes.filter { !rendered.notes.contains($0) } + rendered.notes
    rendered.manifest.notes = rendered.notes
    rendered.manifest.refinement = refinement
    try proceed()
    // From here on the work is complete: after an interruption, the next start finishes it.
    try rendered.manifest.write(in: workplace)
    try TakeRefiner.put(rendered.manifest, from: workplace, into: folder)
    return rendered
  }

  private static func put(_ manifest: Manifest, from workplace: TakeFolder, into folder: TakeFolder) throws {
    for file in manifest.files where file.role != .journal && workplace.has(file.name) {
      try folder.adopt(file.name, from: workplace)
    }
    try manifest.write(in: folder)
  }

  // MARK: After an interruption

  /// The takes that an earlier process was refining.
  package static func interrupted(in root: String) -> [TakeID] {
    guard let place = try? TakeFolder(existing: workplace, in: root) else { return [] }
    return ((try? place.names()) ?? []).compactMap { TakeID($0) }
  }

  /// Puts the complete files of an earlier process in place, and removes incomplete ones.
  /// - Parameter folder: folder of the take; nil if the take no longer exists.
  /// - Returns: the take's new manifest; nil if nothing was complete.
  /// - Throws: `FileProblem`.
  package static func resume(_ take: TakeID, in folder: TakeFolder?, root: String) throws -> Manifest? {
    let path = "\(workplace)/\(take)"
    let place = try TakeFolder(existing: path, in: root)
    defer { try? TakeFolder.delete(path, in: root) }
    guard let folder, place.has(TakeFolder.manifestName) else { return nil }
    var manifest = try Manifest(of: place)
    manifest.take.folder = folder.path
    try put(manifest, from: place, into: folder)
    return manifest
  }
}
