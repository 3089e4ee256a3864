import ArgumentParser
import Catalog
import Foundation
import Library
import Music

/// Compares the index with the disk.
struct CatalogCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Compare the index with the manifests and edits on disk.",
    discussion: """
      The exit code is 0 if everything agrees, 65 if anything differs. Without --repair it changes nothing. Both work \
      beside a running service, which goes on.
      """)

  @Flag(name: .long, help: "Read every file and compare it with the digest in its manifest.")
  var hashes = false
  @Flag(name: .long, help: "Make the index agree with the files. Missing or damaged files are only reported.")
  var repair = false
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print JSON.")
  var json = false

  func run() async throws {
    try await CommandFailure.orExit {
      let shelf = try await TakeShelf(shelf, forReadingOnly: !repair)
      let library = try Library(recordings: shelf.data, index: shelf.index)
      let bar = ProgressBar("checking")
      var report = try await CatalogCheck(library, readsFiles: hashes).run { bar.show($0) }
      bar.clear()
      let found = report.findings.count
      if repair, found > 0 {
        let bar = ProgressBar("repairing")
        report.findings = try await CatalogRepair(library).mend(report.findings) { bar.show($0) }
        bar.clear()
      }
      if json {
        print(try PrettyJSON.text(report))
      } else {
        for finding in report.findings { print("\(finding.code)  \(finding.folder): \(finding.text)") }
        let depth = hashes ? "with their digests" : "by their lengths"
        print(
          "Looked at \(report.takes) takes, \(report.files) files (\(depth)), \(report.songs) songs' and "
            + "\(report.people) people's files: \(found) findings.")
        if repair {
          print("Repaired \(found - report.findings.count) in the index; \(report.findings.count) are left.")
        }
      }
      guard report.findings.isEmpty else {
        throw CommandFailure(
          ExitCodes.unsuitable,
          repair
            ? "what is left is in the files themselves; restore them from a backup, or render the take again"
            : "the index or the files are not as they should be; jamjar catalog check --repair mends the index")
      }
    }
  }
}
