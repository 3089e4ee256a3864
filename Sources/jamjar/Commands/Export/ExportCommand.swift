import ArgumentParser
import Foundation
import Music
import Recording
import Server
import Signaling

/// Exports finished takes: one mixed file each, with the requested perspective and levels, or their tracks for a
/// workstation.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Mix takes down to files, or export their tracks as workstation projects.",
    discussion: """
      TAKE is a take's id, the first 6 or more characters of it, or last for the newest. NAME is a musician's name in \
      the take, or a track number if the name is ambiguous. Without options the file is the take's own mix. \
      --project and --stems write the tracks instead. \
      --participant writes one musician's sound of a whole session. See docs/export.md, docs/perspective.md and docs/daw.md.
      """)

  @OptionGroup var names: TakeNames
  @OptionGroup(title: "One musician's whole session") var solo: SoloOptions
  @Flag(name: .customLong("dry-run"), help: "Only list the takes that would be exported.")
  var isDryRun = false
  @Option(
    name: .shortAndLong,
    help:
      "File or folder to write; for several takes, an existing folder. (default: named after the take, in this folder)",
    completion: .file()
  )
  var output: String?
  @Flag(name: .long, help: "Report as JSON.")
  var json = false
  @OptionGroup(title: "Whose time") var time: PerspectiveOptions
  @OptionGroup(title: "Mix") var mix: MixOptions
  @OptionGroup(title: "Sound") var sound: SourceOptions
  @OptionGroup(title: "File") var file: ExportFileOptions
  @OptionGroup(title: "For workstations") var project: ProjectOptions
  @OptionGroup var shelf: TakeShelfOptions

  /// The takes to export; a whole session of one musician needs none.
  private var choice: TakesArgument {
    get throws { try TakesArgument(names) }
  }

  func validate() throws {
    if solo.participant == nil {
      _ = try choice
    } else if !names.take.isEmpty || names.query != nil || project.format != nil || isDryRun {
      throw ValidationError(
        "--participant exports one session; it goes without takes, --where, --dry-run and --project")
    }
    guard let format = project.format else { return }
    if let option = file.format.map({ "--format \($0)" }) ?? file.rate.map({ "--rate \($0)" }) {
      throw ValidationError("\(option) is for a mix; the files of \(format.rawValue) have 24 bits at 48000 Hz")
    }
  }

  /// The options that apply to each take.
  var options: ExportOptions { ExportOptions(time: time, mix: mix, sound: sound, file: file, project: project) }

  func run() async throws {
    try await CommandFailure.orExit {
      if let name = solo.participant { return try await exportSolo(of: name) }
      if let address = try shelf.address { return try await fetch(from: try RemoteSource(address, key: shelf.key)) }
      let shelf = try await TakeShelf(shelf)
      let choice = try choice
      // All takes are found before the first is written.
      var found: [ExportedTake] = []
      let views = try await choice.find(in: LocalSource(shelf))
      guard try permit(views) else { return }
      for view in views {
        let take = try await shelf.take(view.id)
        guard !found.contains(where: { $0.take.id == take.id }) else { continue }
        found.append(try await ExportedTake(take, on: shelf, isLossless: sound.isLossless))
      }
      let isMany = found.count > 1
      if let format = project.format {
        let jobs = try found.map { take in
          try ProjectJob(take, format, options, output: output, isOneOfMany: isMany)
        }
        try write(jobs) { job, progress in
          let report = ProjectReport(job: job, project: try job.run(progress: progress))
          return (report.text, report.json)
        }
      } else {
        let jobs = try found.map { take in
          try MixJob(take, options, on: shelf.data, output: output, isOneOfMany: isMany)
        }
        try write(jobs) { job, progress in
          let report = MixReport(job: job, mix: try job.run(progress: progress))
          return (report.text, report.json)
        }
      }
    }
  }

  private func exportSolo(of name: String) async throws {
    let job = try await SoloJob(
      of: name, session: solo.session ?? "last", options, output: output, on: try await TakeShelf(shelf))
    try write([job]) { job, progress in try job.run(progress: progress) }
  }

  /// Runs the jobs in order, with a progress bar on the terminal, and reports the results of `work`.
  private func write<Job>(
    _ jobs: [Job],
    _ work: (Job, _ progress: @escaping (Double) throws -> Void) throws -> (text: String, json: JSONValue)
  ) throws {
    Interruption.watch()
    var reports: [JSONValue] = []
    for (index, job) in jobs.enumerated() {
      let bar = ProgressBar(jobs.count > 1 ? "\(index + 1)/\(jobs.count)" : "")
      defer { bar.clear() }
      let report = try work(job) { part in
        try Interruption.check()
        bar.show(part)
      }
      if !json {
        bar.clear()
        print(report.text)
      }
      reports.append(report.json)
    }
    if json { print(JSONValue.object(["exports": .array(reports)]).prettyText) }
  }

  /// Lists the takes for --dry-run; exports change nothing, so they are not asked about.
  private func permit(_ takes: [TakeView]) throws -> Bool {
    guard isDryRun else { return true }
    let choice = try choice
    let changes = try ChangeOptions.parse(["--dry-run"])
    return try changes.permit("export", takes, of: choice, json: json)
  }

  /// Lets a service make the files, and stores them locally.
  private func fetch(from source: RemoteSource) async throws {
    let choice = try choice
    var jobs: [RemoteExport] = []
    let takes = try await choice.findWhole(in: source)
    guard try permit(takes) else { return }
    for take in takes {
      guard !jobs.contains(where: { $0.take.id == take.id }) else { continue }
      let folder = takes.count > 1 ? output.map { $0.hasSuffix("/") ? $0 : $0 + "/" } : output
      let known = try await RemoteTake(take, from: source)
      let wish = try options.wish(tracks: known.tracks, cues: known.cues, length: known.length, output: folder)
      let body = Representation.export(wish, of: known.tracks)
      jobs.append(RemoteExport(wish: body, take: take, source: source, output: folder))
    }
    Interruption.watch()
    var reports: [JSONValue] = []
    for (index, job) in jobs.enumerated() {
      let bar = ProgressBar(jobs.count > 1 ? "\(index + 1)/\(jobs.count)" : "")
      defer { bar.clear() }
      let stored = try await job.run { part in
        try Interruption.check()
        bar.show(part)
      }
      bar.clear()
      if !json { print(stored.text) }
      reports.append(stored.json)
    }
    if json { print(JSONValue.object(["exports": .array(reports)]).prettyText) }
  }
}
