import ArgumentParser
import Catalog
import Foundation
import Library
import Logging
import Music
import Recording

/// Rebuilds the index from the files on disk.
struct CatalogRebuildCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebuild", abstract: "Rebuild the index from the manifests and edits on disk.",
    discussion: """
      Takes, tracks, cues, songs, people and sessions keep their identifiers. The new index replaces the old one in a \
      single step once it is complete. The command refuses to run while the service is running.
      """)

  @OptionGroup var shelf: TakeShelfOptions

  func run() async throws {
    try await CommandFailure.orExit {
      let data = try await shelf.folder
      guard FileManager.default.fileExists(atPath: data) else {
        throw CommandFailure(ExitCodes.noInput, "there is no data folder \(data); name it with --data")
      }
      let count = try await IndexReplacement(data: data, place: try await shelf.place).run()
      print("Made the index anew: \(count) takes.")
    }
  }
}

/// Replaces the index of a data folder with one built from its files.
struct IndexReplacement {
  let data: String
  let place: CatalogPlace

  /// Rebuilds the index and returns its number of takes.
  /// - Throws: `LibraryError.inUse` if a service or a command uses the old index.
  func run() async throws -> Int {
    let lock = try Library.alone(in: data)
    let fresh = try await FreshCatalog(for: place, now: MonotonicClock.wall)
    let index = fresh.engine
    let library = Library(recordings: data, index: index, holding: lock)
    let logger = Logs.logger(level: .info, isJSON: false)
    let count = try await IndexRebuild(library, logger: logger).run()
    try await index.closeLeftSessions()
    try await index.markFilled()
    try await fresh.replace()
    return count
  }
}
