import ArgumentParser
import Catalog
import Foundation
import Music

/// Completion from the data folder named on the command line. Services are not queried.
///
/// A shell cannot show an error while it completes: after any failure there are no completions.
extension CompletionKind {
  /// The newest takes.
  static let take = catalogue { index in
    ["last"] + ((try? await index.takes(TakeQuery(limit: 50)))?.items.map(\.id.description) ?? [])
  }

  /// Rooms with takes.
  static let room = catalogue { index in try await index.rooms().map(\.description) }

  /// Titles of songs.
  static let song = catalogue { index in try await index.songs(BookQuery(limit: 200)).items.map(\.title) }

  private static func catalogue(
    _ words: @escaping @Sendable (any CatalogEngine) async throws -> [String]
  ) -> CompletionKind {
    .custom { line, _, prefix in
      let data = line.firstIndex(of: "--data").flatMap { line.indices.contains($0 + 1) ? line[$0 + 1] : nil }
      guard let options = try? TakeShelfOptions.parse(data.map { ["--data", $0] } ?? []),
        let shelf = try? await TakeShelf(options), let found = try? await words(shelf.index)
      else { return [] }
      return found.filter { $0.hasPrefix(prefix) || prefix.isEmpty }
    }
  }
}
