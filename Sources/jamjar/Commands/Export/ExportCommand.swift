import ArgumentParser
import Foundation
import Music
import Recording
import Signaling

/// Mixes finished takes into one file each: in the time of whoever is asked for, with the levels that are asked for.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Mix takes into files: levels, times, formats, and in whose time.",
    discussion: """
      TAKE is a take's id, the first 6 or more characters of it, or last for the newest. NAME is a musician's name in \
      the take, or the number of the track where two have one name. Without options the file is the take's own mix. \
      See docs/export.md and docs/perspective.md.
      """)

  @Argument(help: "Ids of takes, the first 6 or more characters of them, or last.")
  var takes: [String]
  @Option(
    name: .shortAndLong,
    help: "File to write, for several takes a folder that exists. (default: named after the take, in this folder)")
  var output: String?
  @Flag(name: .long, help: "Report as JSON.")
  var json = false
  @OptionGroup(title: "Whose time") var time: PerspectiveOptions
  @OptionGroup(title: "Mix") var mix: MixOptions
  @OptionGroup(title: "File") var file: ExportFileOptions
  @OptionGroup var shelf: TakeShelfOptions

  func validate() throws {
    guard !takes.isEmpty else { throw ValidationError("name a take to export, or last for the newest") }
  }

  func run() async throws {
    try await CommandFailure.orExit {
      let shelf = try await TakeShelf(shelf)
      // All takes are found before the first is written.
      var found: [ExportedTake] = []
      for text in takes {
        let take = try await shelf.take(text)
        guard !found.contains(where: { $0.take.id == take.id }) else { continue }
        found.append(try await ExportedTake(take, on: shelf))
      }
      let jobs = try found.map { take in
        try ExportJob(take, time: time, mix: mix, file: file, output: output, isOneOfMany: found.count > 1)
      }
      Interruption.watch()
      var reports: [ExportReport] = []
      for (index, job) in jobs.enumerated() {
        let bar = ProgressBar(jobs.count > 1 ? "\(index + 1)/\(jobs.count)" : "")
        defer { bar.clear() }
        let mix = try job.run { part in
          try Interruption.check()
          bar.show(part)
        }
        let report = ExportReport(job: job, mix: mix)
        if !json {
          bar.clear()
          print(report.text)
        }
        reports.append(report)
      }
      if json { print(JSONValue.object(["exports": .array(reports.map(\.json))]).prettyText) }
    }
  }
}
