import ArgumentParser
import Catalog
import Foundation
import Library
import Music

/// Compares the index with the disk.
struct CatalogCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Compare the index with the manifests and edits on disk.",
    discussion: "Changes nothing. The exit code is 0 if everything agrees, 65 if anything differs.")

  @Flag(name: .long, help: "Read every file and compare it with the digest in its manifest.")
  var hashes = false
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print JSON.")
  var json = false

  func run() async throws {
    try await CommandFailure.orExit {
      let shelf = try await TakeShelf(shelf)
      let library = try Library(recordings: shelf.data, index: shelf.index)
      let report = try await CatalogCheck(library, readsFiles: hashes).run()
      if json {
        print(try PrettyJSON.text(report))
      } else {
        for finding in report.findings { print("\(finding.code)  \(finding.folder): \(finding.text)") }
        let depth = hashes ? "with their digests" : "by their lengths"
        print(
          "Looked at \(report.takes) takes, \(report.files) files (\(depth)), \(report.songs) songs' and "
            + "\(report.people) people's files: \(report.findings.count) findings.")
      }
      guard report.findings.isEmpty else {
        throw CommandFailure(
          ExitCodes.unsuitable,
          "the index or the files are not as they should be; jamjar catalog rebuild mends the index")
      }
    }
  }
}
