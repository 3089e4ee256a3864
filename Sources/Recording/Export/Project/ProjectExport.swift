import Glibc
import Music

/// Exports a finished take as a workstation project or as stems.
///
/// The take's folder is left unchanged; sound is copied or converted block by block. Equal takes and settings give
/// equal bytes.
package struct ProjectExport {
  private let folder: TakeFolder
  private let manifest: Manifest

  /// Creates an export of the take in `folder`, which `manifest` describes.
  package init(of folder: TakeFolder, manifest: Manifest) {
    self.folder = folder
    self.manifest = manifest
  }

  /// The name of folder, archive and project file, without extension.
  package var name: String { ZIPArchive.folderName(of: manifest.take) }

  /// The name of the output of `writeFolder` or, with `isArchive`, of `writeArchive`.
  package func outputName(_ format: ProjectFormat, isArchive: Bool) -> String {
    if format.isSingleFile, let ending = format.ending { return "\(name).\(ending)" }
    return isArchive ? "\(name).zip" : name
  }

  /// Writes the project as a new folder in `parent` (or as a single file if the format is one); on failure, nothing
  /// is left.
  ///
  /// - Parameters:
  ///   - name: name of the output; `outputName` gives one based on the take.
  ///   - settings: levels are stored in the project; offsets and range determine the positions. Settings that the format
  ///     cannot express are listed in the result's `omissions`.
  ///   - cues: the take's edited cues; nil for the manifest's.
  ///   - tempo: tempo map of the song.
  ///   - progress: receives the fraction done, 0…1; may throw (`CancellationError`) to stop.
  /// - Throws: `MixSettingsProblem`, `ExportProblem`, `FileProblem` (with EEXIST if the name is taken), and errors of
  ///   `progress`.
  package func writeFolder(
    _ name: String, in parent: TakeFolder, _ format: ProjectFormat, settings: MixSettings = MixSettings(),
    cues: [Cue]? = nil, tempo: TempoMap? = nil, progress: @escaping (Double) throws -> Void = { _ in }
  ) throws -> ExportedProject {
    if format.isSingleFile {
      return try writeArchive(
        name, in: parent, format, settings: settings, cues: cues, tempo: tempo, progress: progress)
    }
    let contents = try contents(format, settings, cues, tempo)
    let new = try NewFolder(name, in: parent)
    do {
      let media = try new.descend(format.mediaFolder)
      let writer = MediaWriter(contents.media, of: folder, contents.plan, in: media)
      let path = format.mediaFolder.map { $0 + "/" }.joined()
      var files = try writer.run(progress: progress).map { ExportedProject.File(name: path + $0.name, size: $0.size) }
      for text in contents.texts { files.append(try MediaWriter.write(text.bytes, as: text.name, in: new.folder)) }
      try progress(1)
      try new.finish()
      return result(contents, files)
    } catch {
      new.abandon()
      throw error
    }
  }

  /// Writes the project as one ZIP archive (with one folder inside) in `parent`; on failure, nothing is left.
  ///
  /// Parameters and errors are those of `writeFolder`.
  package func writeArchive(
    _ name: String, in parent: TakeFolder, _ format: ProjectFormat, settings: MixSettings = MixSettings(),
    cues: [Cue]? = nil, tempo: TempoMap? = nil, progress: @escaping (Double) throws -> Void = { _ in }
  ) throws -> ExportedProject {
    guard !parent.has(name) else {
      throw FileProblem(
        path: parent.label(name), operation: .create, code: EEXIST, detail: "choose another name, or move it")
    }
    let contents = try contents(format, settings, cues, tempo)
    let work = try NewFolder(".\(name)", in: parent)
    defer { work.abandon() }
    let file = try archive(contents, as: name, in: parent, by: work, progress)
    try parent.synchronize()
    return result(contents, [file])
  }

  /// Writes converted files into `work` first, because an archive holds finished files only.
  private func archive(
    _ contents: ProjectContents, as name: String, in parent: TakeFolder, by work: NewFolder,
    _ progress: @escaping (Double) throws -> Void
  ) throws -> ExportedProject.File {
    let made = contents.media.filter { $0.form != .copy }
    let share = made.isEmpty ? 0 : 0.5
    _ = try MediaWriter(made, of: folder, contents.plan, in: work.folder).run { try progress($0 * share) }
    let take = manifest.take
    let modified = take.endedAt ?? take.startedAt
    let root = contents.format.isSingleFile ? "" : "\(self.name)/"
    let mediaRoot = root + contents.format.mediaFolder.map { $0 + "/" }.joined()
    var members = contents.texts.map {
      ZIPArchive.Member(name: root + $0.name, source: .bytes($0.bytes), modified: modified)
    }
    members += contents.media.map { media in
      ZIPArchive.Member(
        name: mediaRoot + media.name,
        source: media.form == .copy ? .file(media.source, in: folder) : .file(media.name, in: work.folder),
        modified: modified)
    }
    let file = try ZIPArchive(members).write(name, in: parent, replaces: false) { part in
      try progress(share + part * (1 - share))
    }
    return ExportedProject.File(name: file.name, size: file.size)
  }

  private func contents(
    _ format: ProjectFormat, _ settings: MixSettings, _ cues: [Cue]?, _ tempo: TempoMap?
  ) throws -> ProjectContents {
    let cues = cues ?? manifest.cues
    let plan = try ProjectPlan(of: folder, manifest: manifest, settings: settings, cues: cues, tempo: tempo)
    return ProjectContents(
      format, plan, name: name, omissions: plan.omissions(settings, in: format, manifest: manifest))
  }

  private func result(_ contents: ProjectContents, _ files: [ExportedProject.File]) -> ExportedProject {
    ExportedProject(
      format: contents.format, files: files, main: contents.main, trackCount: contents.plan.lanes.count,
      length: SamplePosition(contents.plan.length), start: SamplePosition(contents.plan.start),
      omissions: contents.omissions)
  }
}

/// The result of exporting a project.
package struct ExportedProject: Hashable, Sendable {
  /// A file that was written.
  package struct File: Hashable, Sendable {
    package var name: String
    /// Length in bytes.
    package var size: Int64
  }

  package var format: ProjectFormat
  /// In the order in which they were written.
  package var files: [File]
  /// The file to open; nil if there is none (stems).
  package var main: String?
  /// Number of tracks in the project.
  package var trackCount: Int
  package var length: SamplePosition
  /// Position on the take's time line at which the project begins.
  package var start: SamplePosition
  /// Settings that the format cannot express, in words: "the high-pass of Ada (80 Hz)".
  package var omissions: [String]
}
