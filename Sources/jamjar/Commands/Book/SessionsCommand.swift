import ArgumentParser
import Music
import Signaling

/// Sessions: periods during which musicians were together in a room.
struct SessionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "List sessions, or show one with its takes.",
    subcommands: [List.self, Show.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List sessions, newest first.")
    @Option(name: .long, help: "Only sessions in this room.", completion: .room) var room: String?
    @Option(
      name: .long, help: "Only those started at or after this date or RFC 3339 time.", transform: InstantArgument.init)
    var after: InstantArgument?
    @Option(
      name: .long, help: "Only those started before this date or RFC 3339 time.", transform: InstantArgument.init)
    var before: InstantArgument?
    @OptionGroup var paging: PagingOptions
    @OptionGroup var shelf: TakeShelfOptions
    @OptionGroup var output: ListOutput

    func validate() throws {
      try output.check(.sessions)
      if let room {
        do throws(NameError) { _ = try RoomName(checking: room) } catch { throw ValidationError("--room: \(error)") }
      }
    }

    func run() async throws {
      try await CommandFailure.orExit {
        let book = try await shelf.book()
        let list = try await paging.gather { limit, cursor in
          let query = SessionQuery(
            room: room.flatMap { RoomName($0) }, startedAfter: after?.time, startedBefore: before?.time, limit: limit,
            cursor: cursor)
          return try await book.sessions(query)
        }
        try output.show(list, .sessions, none: "There are no such sessions.") { sessions in
          var table = TextTable([
            .whole("session", style: Style.faint), .text("room"), .whole("started (UTC)"), .whole("ended (UTC)"),
          ])
          for session in sessions {
            table.add([
              session["id"]?.string ?? "", session["room"]?.string ?? "", Reading.time(session["startedAt"]?.string),
              Reading.time(session["endedAt"]?.string),
            ])
          }
          return table.text
        }
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
        let book = try await shelf.book()
        guard let id = SessionID(session), var object = try await book.session(id) else {
          throw CommandFailure(
            ExitCodes.noInput,
            "there is no session \(session.prefix(64)) in \(book.takes.place); jamjar sessions list shows all")
        }
        let filter = TakeFilter(session: id, sort: .oldest, limit: 200)
        let takes = try await book.takes.takes(filter).object?["items"]?.array ?? []
        guard !json else {
          object["takes"] = .array(takes)
          return print(JSONValue.object(object).prettyText)
        }
        print(
          "Session in room \"\((object["room"]?.string ?? "").printable)\" from "
            + "\(Reading.time(object["startedAt"]?.string)) to \(Reading.time(object["endedAt"]?.string))")
        for take in takes.compactMap(\.object) { print("  \(EditedTake(take).text)") }
      }
    }
  }
}
