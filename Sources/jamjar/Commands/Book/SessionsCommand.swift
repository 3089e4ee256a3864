import ArgumentParser
import Catalog
import Music
import Signaling

/// Gatherings in rooms.
struct SessionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "List sessions, or show one with its takes.",
    subcommands: [List.self, Show.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List sessions, the newest first.")
    @Option(name: .long, help: "Only those of this room.") var room: String?
    @Option(name: .long, help: "Only those that started then or later: a date or RFC 3339.") var after: InstantArgument?
    @Option(name: .long, help: "Only those that started before: a date or RFC 3339.") var before: InstantArgument?
    @OptionGroup var paging: PagingOptions
    @OptionGroup var shelf: TakeShelfOptions
    @Flag(name: .long, help: "Print JSON.") var json = false

    func validate() throws {
      if let room {
        do throws(NameError) { _ = try RoomName(checking: room) } catch { throw ValidationError("--room: \(error)") }
      }
    }

    func run() async throws {
      try await CommandFailure.orExit {
        let shelf = try await TakeShelf(shelf)
        let list = try await paging.gather { limit, cursor in
          let query = SessionQuery(
            room: room.flatMap { RoomName($0) }, startedAfter: after?.time, startedBefore: before?.time, limit: limit,
            cursor: cursor)
          return BookJSON.list(try await shelf.index.sessions(query), BookJSON.session)
        }
        var table = TextTable([
          .whole("session", style: Style.faint), .text("room"), .whole("started (UTC)"), .whole("ended (UTC)"),
        ])
        for session in list.items {
          table.add([
            session["id"]?.string ?? "", session["room"]?.string ?? "", Reading.time(session["startedAt"]?.string),
            Reading.time(session["endedAt"]?.string),
          ])
        }
        print(json ? list.json.prettyText : table.isEmpty ? "There are no such sessions." : table.text + list.footer)
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show a session with its takes.")
    @Argument(help: "Id of the session.") var session: String
    @OptionGroup var shelf: TakeShelfOptions
    @Flag(name: .long, help: "Print JSON: the session with \"takes\".") var json = false

    func run() async throws {
      try await CommandFailure.orExit {
        let shelf = try await TakeShelf(shelf)
        guard let id = SessionID(session), let found = try await shelf.index.session(id) else {
          throw CommandFailure(
            ExitCodes.noInput,
            "there is no session \(session.prefix(64)) in \(shelf.data); jamjar sessions list shows all")
        }
        let takes = try await shelf.index.takes(TakeQuery(session: id, sort: .oldest, limit: 200)).items
        guard !json else {
          var object = BookJSON.session(found).object ?? [:]
          object["takes"] = .array(takes.map(BookJSON.take))
          return print(JSONValue.object(object).prettyText)
        }
        print(
          "Session in room \"\(found.room)\" from \(Reading.time(found.startedAt.description)) "
            + "to \(Reading.time(found.endedAt?.description))")
        for take in takes { print("  \(EditedTake(take).text)") }
      }
    }
  }
}
