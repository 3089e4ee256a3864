import Catalog
import Foundation
import Music
import Recording

/// The takes of a data folder, accessed through its index.
struct TakeShelf {
  let data: String
  let index: SQLiteCatalog

  /// Opens the index of the data folder without disturbing a service that runs on it.
  /// - Throws: `CommandFailure` if there is no index or the options name a service; `CatalogError`.
  init(_ options: TakeShelfOptions, forReadingOnly: Bool = true) async throws {
    if let server = try options.address {
      throw CommandFailure(
        ExitCodes.usage,
        "this works on the data folder only, not over REST; run it on the machine of \(server.place) with --data DIR")
    }
    data = try await options.folder
    let path = data + "/jamjar.sqlite"
    guard FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure(
        ExitCodes.noInput, "there is no index \(path); name the service's data folder with --data, or start it there")
    }
    index = try SQLiteCatalog.open(beside: path, forReadingOnly: forReadingOnly)
  }

  /// The take identified by `text`: its identifier, a unique prefix of it, or "last".
  /// - Throws: `CommandFailure`, `CatalogError`.
  func take(_ text: String) async throws -> Take {
    let source = LocalSource(self)
    guard let take = try await index.take(try await source.identifier(of: text)) else { throw source.unknown(text) }
    return take
  }

  /// A take's manifest with the state from the index; the index's contents if there is no manifest.
  func manifest(of take: Take) async throws -> Manifest {
    if let folder = try? TakeFolder(existing: take.folder, in: data), folder.has(TakeFolder.manifestName) {
      var manifest = try Manifest(of: folder)
      manifest.take.state = take.state
      return manifest
    }
    return Manifest(
      software: Version.text, take: take, tracks: try await index.tracks(of: take.id),
      cues: try await index.cues(of: take.id))
  }

  /// The folder of a finished take.
  /// - Throws: `CommandFailure` if the take is still rolling or being finished, `FileProblem`.
  func finishedFolder(of take: Take) throws -> TakeFolder {
    switch take.state {
    case .ready, .incomplete, .failed: break
    case .rolling:
      throw CommandFailure(ExitCodes.unsuitable, "the take \(take.id) still rolls; stop it first")
    case .captured, .rendering:
      throw CommandFailure(
        ExitCodes.unsuitable,
        "the take \(take.id) is being finished; wait for it, or start the service if it ended in between")
    }
    return try TakeFolder(existing: take.folder, in: data)
  }
}
