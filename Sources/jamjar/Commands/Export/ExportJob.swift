import Music
import Recording

/// One file that is to be written: everything that can be wrong with the words was found.
struct ExportJob {
  let source: ExportedTake
  let choice: ExportChoice
  let settings: MixSettings
  let shifts: [TrackShift]
  let target: ExportTarget
  let rate: Int
  private let mixDown: MixDown

  /// - Parameter isOneOfMany: whether `output` is a folder.
  /// - Throws: `CommandFailure`, `PerspectiveProblem`, `ExportProblem`, `FileProblem`.
  init(
    _ source: ExportedTake, time: PerspectiveOptions, mix: MixOptions, file: ExportFileOptions, output: String?,
    isOneOfMany: Bool
  ) throws {
    self.source = source
    mixDown = MixDown(of: source.folder, manifest: source.manifest, cues: source.cues)
    choice = try ExportChoice(perspective: time.perspective, follow: time.follow, tracks: mixDown.tracks)
    settings = try mix.settings(tracks: mixDown.tracks, cues: source.cues, length: mixDown.length)
    shifts = try mixDown.shifts(for: choice.perspective)
    rate = file.rate ?? Int(SamplePosition.rate)
    let format = file.format.flatMap(ExportFormat.init(named:))
    let take = source.take
    let words = "\(take.room) \(take.startedAt.date) take \(take.number) \(choice.title)"
    let name = FileName.portable(words, fallback: "take")
    let path = isOneOfMany ? (output.map { $0.hasSuffix("/") ? $0 : $0 + "/" } ?? "") : nil
    target = try ExportTarget(
      path.map { "\($0)\(name)-\(take.id.description.suffix(6)).\((format ?? .flac24).ending)" } ?? output,
      format: format, name: name)
    // Before anything is mixed: with several takes a wrong word about the last should not come after the first.
    guard target.format.isAvailable else { throw ExportProblem.formatMissing(target.format) }
    guard target.format.rates.contains(rate) else { throw ExportProblem.rate(rate, target.format) }
  }

  /// Writes the file; what `progress` throws stops it, and no file is left.
  func run(progress: @escaping (Double) throws -> Void) throws -> ExportedMix {
    try mixDown.write(
      target.name, in: target.folder, settings: settings, shifts: shifts, format: target.format, rate: rate,
      title: choice.title, progress: progress)
  }
}
