import Music
import Recording
import Signaling

/// A project to be written, with all its options validated.
struct ProjectJob {
  let source: ExportedTake
  let format: ProjectFormat
  let settings: MixSettings
  let target: ProjectTarget
  private let export: ProjectExport

  /// - Parameter isOneOfMany: true if several takes are exported; `output` is then the folder for all of them.
  /// - Throws: `CommandFailure`, `PerspectiveProblem`, `ExportProblem`, `FileProblem`.
  init(
    _ source: ExportedTake, _ format: ProjectFormat, _ options: ExportOptions, output: String?, isOneOfMany: Bool
  ) throws {
    self.source = source
    self.format = format
    let mixDown = MixDown(of: source.folder, manifest: source.manifest, cues: source.cues)
    let wish = try options.wish(tracks: mixDown.tracks, cues: source.cues, length: mixDown.length, output: output)
    do {
      settings = try mixDown.settings(wish.settings, in: wish.perspective)
    } catch let problem as MixSettingsProblem {
      throw CommandFailure(ExitCodes.usage, MixWords(tracks: mixDown.tracks, cues: source.cues).sentence(problem))
    }
    export = ProjectExport(of: source.folder, manifest: source.manifest)
    // The name contains the format, so that one folder can hold a take's projects for two programs.
    var usual = format.isSingleFile ? export.name : "\(export.name)-\(format.rawValue)"
    if isOneOfMany { usual += "-\(source.take.id.description.suffix(6))" }
    target = try ProjectTarget(output, options.project, format, usual: usual, isOneOfMany: isOneOfMany)
  }

  /// Writes the project. An error thrown by `progress` cancels it, and nothing is left.
  func run(progress: @escaping (Double) throws -> Void) throws -> ExportedProject {
    let tempo = source.take.song?.tempo
    return target.isArchive
      ? try export.writeArchive(
        target.name, in: target.parent, format, settings: settings, cues: source.cues, tempo: tempo,
        progress: progress)
      : try export.writeFolder(
        target.name, in: target.parent, format, settings: settings, cues: source.cues, tempo: tempo,
        progress: progress)
  }
}
