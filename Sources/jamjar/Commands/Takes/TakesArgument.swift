import ArgumentParser
import Music
import Rooms
import Server
import Signaling

/// One or several takes.
struct TakesArgument: ParsableArguments {
  @Argument(help: "Ids of takes, the first 6 or more characters of each, or last.", completion: .take)
  var take: [String]

  /// Edits one after the other; all are found before the first is edited.
  func each(
    on options: TakeShelfOptions, json: Bool, _ edit: (Library, TakeID) async throws -> Take
  ) async throws {
    try await CommandFailure.orExit {
      let (shelf, library) = try await options.library()
      var found: [TakeID] = []
      for text in take { found.append(try await shelf.take(text).id) }
      var edited: [JSONValue] = []
      for id in found {
        let take = try await edit(library, id)
        if json { edited.append(BookJSON.take(take)) } else { print(EditedTake(take).text) }
      }
      if json { print(Representation.list(edited, next: nil).prettyText) }
    }
  }
}
