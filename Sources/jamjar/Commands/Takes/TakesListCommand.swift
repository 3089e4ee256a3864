import ArgumentParser
import Foundation
import Music
import Signaling

/// Lists the takes of a data folder or a service, newest first.
struct TakesListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List takes, newest first.")

  @Option(name: .long, help: "Only takes in this room.")
  var room: String?
  @Option(name: .long, help: "Only takes of the song with this title or id.")
  var song: String?
  @Option(name: .long, help: "Only those in this state: \(TakeState.allCases.map(\.rawValue).joined(separator: ", ")).")
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
  @Option(name: .long, help: "Only takes started at or after this date (UTC) or RFC 3339 time.")
  var after: InstantArgument?
  @Option(name: .long, help: "Only takes started before this date (UTC) or RFC 3339 time.")
  var before: InstantArgument?
  @Option(name: .long, help: "Word beginnings to find in titles, notes, people's names, tags or cues.")
  var search: String?
  @Flag(name: .long, help: "Only takes in the trash.")
  var deleted = false
  @Option(
    name: .long,
    help: "The order: \(TakeQuery.Sort.allCases.map(\.rawValue).joined(separator: ", ")). (default: newest)")
  var sort: String?
  @OptionGroup var paging: PagingOptions
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print JSON, as returned by GET /v1/takes.")
  var json = false

  func validate() throws {
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
      let list = try await paging.gather { limit, cursor in
        try await book.takes.takes(
          TakeFilter(
            room: room, song: songID, state: state, session: session.flatMap { SessionID($0) },
            participant: participantID,
            rating: rating, tag: tag, isFavourite: favourite, after: after?.time, before: before?.time, search: search,
            isDeleted: deleted, sort: sort.flatMap(TakeQuery.Sort.init(rawValue:)) ?? .newest, limit: limit,
            cursor: cursor))
      }
      print(json ? list.json.prettyText : table(list))
    }
  }

  private func table(_ list: PagingOptions.List) -> String {
    guard !list.items.isEmpty else { return "There are no such takes." }
    var table = TextTable([
      .whole("take", style: Style.faint), .whole("started (UTC)"), .text("room"), .text("song"), .number("number"),
      .number("length"), .number("tracks"), .whole("state", style: Style.state),
      .whole("rating", style: Style.stars), .text("title"),
    ])
    for take in list.items.map(TakeView.init) {
      table.add([
        take.id, Reading.time(take.startedAt), take.room, take.song ?? "-", "\(take.number)",
        Reading.length(seconds: take.duration), "\(take.trackCount)", take.state, Reading.stars(take.rating),
        take.title ?? "",
      ])
    }
    return table.text + list.footer
  }
}
