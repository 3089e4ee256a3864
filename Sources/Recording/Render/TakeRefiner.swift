import Machines
import Music

/// The second pass over a take: reads its whole journal with hindsight, and where that places or recovers more than the
/// render that followed it could, makes the files anew and puts them in place of the first.
///
/// The new files are made in a folder of their own; the take's are replaced all together, the manifest last. Until then
/// nothing of the take is touched. Used from one thread.
package struct TakeRefiner {
  /// Where new files are made, below the data folder.
  package static let workplace = TakeFolder.reservedPrefix + "refining"

  private let folder: TakeFolder
  private let root: String
  private let manifest: Manifest
  private let found = Found()

  /// What the examination found, for the render after it.
  private final class Found {
    var lines: [StreamKey: WholeTakeLine] = [:]
  }

  /// - Parameters:
  ///   - folder: the take's, with its journal and its manifest.
  ///   - root: the data folder.
  /// - Throws: `FileProblem` where the take has no manifest.
  package init(folder: TakeFolder, root: String) throws(FileProblem) {
    self.folder = folder
    self.root = root
    manifest = try Manifest(of: folder)
  }

  /// Looks at the take in `folder` again, and makes its files anew where that makes them better; nil where not.
  ///
  /// - Parameters:
  ///   - options: those of the render that followed the take.
  ///   - proceed: called for every frame; what it throws ends the work, and the take is as it was.
  /// - Throws: as `examine`.
  package static func refine(
    _ folder: TakeFolder, root: String, options: RenderOptions, _ proceed: () throws -> Void
  ) throws -> RenderedTake? {
    let refiner = try TakeRefiner(folder: folder, root: root)
    // What musicians' own machines recorded is tied to the files as they are.
    guard try !refiner.hasLosslessTracks else { return nil }
    let refinement = try refiner.examine(options: options, proceed)
    guard refinement.isWorthwhile else { return nil }
    return try refiner.replace(by: refinement, options: options, proceed)
  }

  /// True where lossless tracks were made to fit the take's files.
  private var hasLosslessTracks: Bool {
    get throws(FileProblem) { try !LosslessTracks(of: manifest.take.id, in: folder).tracks.isEmpty }
  }

  /// What of the take's files would change; reads the journal and writes nothing.
  ///
  /// - Parameter proceed: called for every frame; what it throws ends the work.
  /// - Throws: `FileProblem`, `JournalDamage`, `RenderProblem`, `OpusFailure`, what `proceed` throws.
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

  /// `options` with all that was found by `examine`.
  package func refined(_ options: RenderOptions) -> RenderOptions {
    var options = options.withHindsight
    options.lines = found.lines
    return options
  }

  /// Makes the take's files anew with hindsight and puts them in place.
  ///
  /// - Parameters:
  ///   - refinement: what was found, for the manifest.
  ///   - proceed: called for every frame; what it throws ends the work, and the take is as it was.
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
    // What was known besides the journal when the take ended is known no more: it is kept.
    rendered.notes = manifest.notes.filter { !rendered.notes.contains($0) } + rendered.notes
    rendered.manifest.notes = rendered.notes
    rendered.manifest.refinement = refinement
    try proceed()
    // From here on it is made: an interruption is made good by the next start.
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

  /// The takes that an earlier process was making anew.
  package static func interrupted(in root: String) -> [TakeID] {
    guard let place = try? TakeFolder(existing: workplace, in: root) else { return [] }
    return ((try? place.names()) ?? []).compactMap { TakeID($0) }
  }

  /// Completes what an earlier process had made and not yet put in place, and removes what it left half made.
  /// - Parameter folder: the take's, nil where there is no such take any more.
  /// - Returns: the take as it is now, nil where nothing was complete.
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
