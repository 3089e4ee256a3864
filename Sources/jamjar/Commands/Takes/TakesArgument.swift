import ArgumentParser
import Music
import Server
import Signaling

/// One or several takes.
struct TakesArgument: ParsableArguments {
  @Argument(help: "Ids of takes, the first 6 or more characters of each, or last.", completion: .take)
  var take: [String]

  /// Edits the takes in order, after finding all of them.
  func each(
    on options: TakeShelfOptions, json: Bool, _ edit: (any SongBook, TakeID) async throws -> JSONObject
  ) async throws {
    try await CommandFailure.orExit {
      let book = try await options.book(forReadingOnly: false)
      var found: [TakeID] = []
      for text in take { found.append(try await book.findTake(text).id) }
      var edited: [JSONValue] = []
      for id in found {
        let take = try await edit(book, id)
        if json { edited.append(.object(take)) } else { print(EditedTake(take).text) }
      }
      if json { print(Representation.list(edited, next: nil).prettyText) }
    }
  }
}
