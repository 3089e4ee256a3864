import Catalog
import Foundation
import Music
import Recording

/// The takes of a data folder, accessed through its index.
struct TakeShelf {
  let data: String
  let index: any CatalogEngine

  /// Opens the index of the data folder without disturbing a service that runs on it.
  /// - Throws: `CommandFailure` if there is no index or the options name a service; `CatalogError`.
  init(_ options: TakeShelfOptions, forReadingOnly: Bool = true) async throws {
    if let server = try options.address {
      throw CommandFailure(
        ExitCodes.usage,
        "this works on the data folder only, not over REST; run it on the machine of \(server.place) with --data DIR")
    }
    data = try await options.folder
    let place = try await options.place
    if case .file(let path) = place, !FileManager.default.fileExists(atPath: path) {
      throw CommandFailure(
        ExitCodes.noInput, "there is no index \(path); name the service's data folder with --data, or start it there")
    }
    index = try await place.openBeside(forReadingOnly: forReadingOnly)
  }

  /// The take identified by `text`: its identifier, a unique prefix of it, or "last".
  /// - Throws: `CommandFailure`, `CatalogError`.
  func take(_ text: String) async throws -> Take {
    let source = LocalSource(self)
    guard let take = try await index.take(try await source.identifier(of: text)) else { throw source.unknown(text) }
    return take
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
