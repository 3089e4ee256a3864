import ArgumentParser
import Catalog
import Foundation
import Library
import Logging
import Music
import Recording

/// Makes the index anew from the disk.
struct CatalogRebuildCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebuild", abstract: "Make the index anew from the manifests and edits on the disk.",
    discussion: """
      Every take, track, cue, song, person and session comes back under its identifier. The new index takes the old \
      one's place in one step when it is complete; it is refused while the service runs.
      """)

  @OptionGroup var shelf: TakeShelfOptions

  func run() async throws {
    try await CommandFailure.orExit {
      let data = try await shelf.folder
      guard FileManager.default.fileExists(atPath: data) else {
        throw CommandFailure(ExitCodes.noInput, "there is no data folder \(data); name it with --data")
      }
      let count = try await IndexReplacement(data: data).run()
      print("Made the index anew: \(count) takes.")
    }
  }
}

/// Replaces the index of a data folder by one made of its files.
struct IndexReplacement {
  let data: String

  /// How many takes the new index has.
  /// - Throws: `LibraryError.inUse` where a service or a command uses the old one.
  func run() async throws -> Int {
    let path = data + "/jamjar.sqlite"
    let lock = try Library.alone(in: data)
    let fresh = try SQLiteCatalog.fresh(at: path + ".rebuild", now: MonotonicClock.wall)
    let library = Library(recordings: data, index: fresh, holding: lock)
    let logger = Logger(label: "jamjar.catalog", factory: { StreamLogHandler.standardError(label: $0) })
    let count = try await IndexRebuild(library, logger: logger).run()
    try await fresh.closeLeftSessions()
    try await fresh.markFilled()
    try fresh.replace(path)
    return count
  }
}
