import ArgumentParser
import Catalog
import Foundation
import Music

extension CompletionKind {
  /// Takes of the data folder named on the command line, newest first; services are not queried.
  static let take = CompletionKind.custom { words, _, prefix in
    // Shell completion cannot report errors: after any failure, "last" is the only completion.
    let data = words.firstIndex(of: "--data").flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
    guard let options = try? TakeShelfOptions.parse(data.map { ["--data", $0] } ?? []),
      let shelf = try? await TakeShelf(options), let page = try? await shelf.index.takes(TakeQuery(limit: 50))
    else { return ["last"] }
    return (["last"] + page.items.map(\.id.description)).filter { $0.hasPrefix(prefix) || prefix.isEmpty }
  }
}
