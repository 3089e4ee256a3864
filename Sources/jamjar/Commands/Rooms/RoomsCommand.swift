import ArgumentParser
import Client
import Music
import Signaling

/// The rooms of the running service.
struct RoomsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rooms", abstract: "List the rooms of the running service.", subcommands: [List.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the rooms of the running service, by name.",
      discussion: """
        The state of a room is empty, waiting (a musician is alone in it, or listeners are), live (a musician and somebody \
        else are in it) or recording (a take rolls).
        """)

    @Argument(help: "Only rooms whose names have all these words, in capitals or not.") var words: [String] = []
    @Option(
      name: .long, help: "Only rooms in this state, or in one of several with commas: empty, waiting, live, recording.")
    var state: String?
    @Option(name: .long, help: "Only rooms whose session began at this time or later: a time of RFC 3339, or a day.")
    var after: String?
    @Option(name: .long, help: "Only rooms whose session began before this time.") var before: String?
    @OptionGroup var service: ServiceOptions
    @OptionGroup var paging: PagingOptions
    @OptionGroup var output: ListOutput

    func validate() throws {
      try output.check(.rooms)
      let known = RoomActivity.allCases.map(\.rawValue)
      for word in state?.split(separator: ",", omittingEmptySubsequences: false) ?? []
      where !known.contains(String(word)) {
        throw ValidationError("--state has \"\(word)\"; permitted: \(known.joined(separator: ", "))")
      }
    }

    func run() async throws {
      try await CommandFailure.orExit {
        let source = try service.source()
        let list = try await paging.gather { limit, cursor in
          var query = [("limit", "\(limit)")]
          if let cursor { query.append(("cursor", cursor)) }
          if !words.isEmpty { query.append(("q", words.joined(separator: " "))) }
          if let state { query.append(("state", state)) }
          if let after { query.append(("after", after)) }
          if let before { query.append(("before", before)) }
          return try await source.reaching { try await source.client.get("/v1/rooms", query: query) }
        }
        try output.show(list, .rooms, none: "There are no such rooms.") { rooms in List.table(rooms) }
      }
    }

    private static func table(_ rooms: [JSONObject]) -> String {
      var table = TextTable([
        .text("room"), .whole("state"), .whole("since (UTC)"), .text("members"), .text("take"),
      ])
      for room in rooms {
        let members = room["members"]?.array?.compactMap(\.object) ?? []
        let names = members.map { $0["participant"]?.object?["name"]?.string ?? "-" }
        let take = room["take"]?.object
        let number = take?["number"]?.integer.map { "\($0)" }
        let title = take?["song"]?.object?["title"]?.string.map { " \($0)" }
        table.add([
          room.field("name").printable, room.field("state"), room["startedAt"]?.string.map(Reading.time) ?? "",
          names.joined(separator: ", ").printable, ((number ?? "") + (title ?? "")).printable,
        ])
      }
      return table.text
    }
  }
}
