import Music
import Recording

/// A mix to be written, with all its options validated.
struct MixJob {
  let source: ExportedTake
  let wish: ExportWish
  let target: ExportTarget
  private let shifts: [TrackShift]
  private let mixDown: MixDown

  /// - Parameters:
  ///   - root: the data folder.
  ///   - isOneOfMany: true if several takes are exported; `output` is then a folder.
  /// - Throws: `CommandFailure`, `PerspectiveProblem`, `ExportProblem`, `FileProblem`.
  init(
    _ source: ExportedTake, _ options: ExportOptions, on root: String, output: String?, isOneOfMany: Bool
  ) throws {
    self.source = source
    let backings = options.sound.withBacking ? try BackingSource.all(of: source.manifest, in: root) : []
    mixDown = MixDown(of: source.folder, manifest: source.manifest, cues: source.cues, backings: backings)
    wish = try options.wish(
      tracks: mixDown.tracks, cues: source.cues, length: mixDown.length, output: isOneOfMany ? nil : output)
    shifts = try mixDown.shifts(for: wish.perspective)
    let take = source.take
    let words = "\(take.room) \(take.startedAt.date) take \(take.number) \(wish.title)"
    let name = FileName.portable(words, fallback: "take")
    let own = "\(name)\(isOneOfMany ? "-\(take.id.description.suffix(6))" : "").\(wish.format.ending)"
    let place = output.map { isOneOfMany && !$0.hasSuffix("/") ? $0 + "/" : $0 } ?? own
    target = try ExportTarget(place.hasSuffix("/") ? place + own : place)
    // Before anything is mixed, so that an error about the last take is reported before the first is exported.
    guard wish.format.isAvailable else { throw ExportProblem.formatMissing(wish.format) }
  }

  /// Writes the file. An error thrown by `progress` cancels it, and no file is left.
  func run(progress: @escaping (Double) throws -> Void) throws -> ExportedMix {
    try mixDown.write(
      target.name, in: target.folder, settings: wish.settings, shifts: shifts, format: wish.format, rate: wish.rate,
      title: wish.title, replaces: false, progress: progress)
  }
}
