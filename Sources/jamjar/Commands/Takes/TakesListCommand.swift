import ArgumentParser
import Foundation
import Music
import Signaling

/// Lists the takes of a data folder or a service, newest first.
struct TakesListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List takes, newest first.",
    discussion: """
      QUERY finds takes by words, phrases in quotes and fields, for example room:cellar rating:4.. after:2026-11 \
      "blue in green". A minus excludes: put such a query in quotes of the shell, or give it with --where. All of it \
      and all options have to match. docs/query.md has the grammar.
      """)

  @Argument(help: "Words, phrases and fields to find takes by.")
  var query: [String] = []
  @Option(name: .customLong("where"), parsing: .unconditional, help: ArgumentHelp("The same.", valueName: "query"))
  var condition: String?
  @Option(name: .long, help: "Only takes in this room.", completion: .room)
  var room: String?
  @Option(name: .long, help: "Only takes of the song with this title or id.", completion: .song)
  var song: String?
  @Option(
    name: .long, help: "Only those in this state: \(TakeState.allCases.map(\.rawValue).joined(separator: ", ")).",
    completion: .list(TakeState.allCases.map(\.rawValue)))
  var state: String?
  @Option(name: .long, help: "Only takes of the session with this id.")
  var session: String?
  @Option(name: .long, help: "Only takes with the musician of this name or id.")
  var participant: String?
  @Option(name: .long, help: "Only takes with this rating or higher, 1 to 5.")
  var rating: Int?
  @Option(name: .long, help: "Only takes with this tag.")
  var tag: String?
  @Flag(name: .long, inversion: .prefixedNo, help: "Favourites only, or others only.")
  var favourite: Bool?
  @Option(
    name: .long, help: "Only takes started at or after this date (UTC) or RFC 3339 time.",
    transform: InstantArgument.init)
  var after: InstantArgument?
  @Option(
    name: .long, help: "Only takes started before this date (UTC) or RFC 3339 time.", transform: InstantArgument.init)
  var before: InstantArgument?
  @Option(name: .long, parsing: .unconditional, help: ArgumentHelp("The same.", valueName: "query"))
  var search: String?
  @Flag(name: .long, help: "Only takes in the trash.")
  var deleted = false
  @Option(
    name: .long,
    help: "The order: \(TakeQuery.Sort.allCases.map(\.rawValue).joined(separator: ", ")). (default: newest)",
    completion: .list(TakeQuery.Sort.allCases.map(\.rawValue)))
  var sort: String?
  @OptionGroup var paging: PagingOptions
  @OptionGroup var shelf: TakeShelfOptions
  @OptionGroup var output: ListOutput

  func validate() throws {
    try output.check(.takes)
    if let state, TakeState(rawValue: state) == nil {
      let states = TakeState.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--state is \(state); permitted: \(states)")
    }
    if let sort, TakeQuery.Sort(rawValue: sort) == nil {
      let sorts = TakeQuery.Sort.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--sort is \(sort); permitted: \(sorts)")
    }
    if let rating, !TakeAnnotations.ratings.contains(rating) {
      throw ValidationError("--rating is \(rating); permitted: 1 to 5")
    }
    if let session, SessionID(session) == nil {
      throw ValidationError("--session is \(session); permitted: the id of a session, 26 characters")
    }
    if let room {
      do throws(NameError) { _ = try RoomName(checking: room) } catch { throw ValidationError("--room: \(error)") }
    }
  }

  func run() async throws {
    try await CommandFailure.orExit {
      let book = try await shelf.book()
      let songID = if let song { try await book.findSong(song).id } else { nil as SongID? }
      let participantID = if let participant { try await book.findPerson(participant) } else { nil as ParticipantID? }
      let conditions = try [query.isEmpty ? nil : query.joined(separator: " "), condition, search].compactMap(\.self)
        .map { try QueryText.condition($0) }
      let list = try await paging.gather { limit, cursor in
        try await book.takes.takes(
          TakeFilter(
            room: room, song: songID, state: state, session: session.flatMap { SessionID($0) },
            participant: participantID,
            rating: rating, tag: tag, isFavourite: favourite, after: after?.time, before: before?.time,
            condition: conditions.isEmpty ? nil : .every(conditions),
            isDeleted: deleted, sort: sort.flatMap(TakeQuery.Sort.init(rawValue:)) ?? .newest, limit: limit,
            cursor: cursor))
      }
      try output.show(list, .takes, none: "There are no such takes.") { TakeTable.text($0.map(TakeView.init)) }
    }
  }
}
