import ArgumentParser
import Foundation
import Music
import Signaling

/// The takes of a data folder or a service, the newest first.
struct TakesListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List takes, the newest first.")

  @Option(name: .long, help: "Only those of this room.")
  var room: String?
  @Option(name: .long, help: "Only those of the song of this title or id.")
  var song: String?
  @Option(name: .long, help: "Only those in this state: \(TakeState.allCases.map(\.rawValue).joined(separator: ", ")).")
  var state: String?
  @OptionGroup var paging: PagingOptions
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print JSON, as GET /v1/takes answers it.")
  var json = false

  func validate() throws {
    if let state, TakeState(rawValue: state) == nil {
      let states = TakeState.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--state is \(state); permitted: \(states)")
    }
    if let room {
      do throws(NameError) { _ = try RoomName(checking: room) } catch { throw ValidationError("--room: \(error)") }
    }
  }

  func run() async throws {
    try await CommandFailure.orExit {
      let source = try await shelf.source()
      let list = try await paging.gather { limit, cursor in
        try await source.takes(TakeFilter(room: room, song: song, state: state, limit: limit, cursor: cursor))
      }
      print(json ? list.json.prettyText : table(list))
    }
  }

  private func table(_ list: PagingOptions.List) -> String {
    guard !list.items.isEmpty else { return "There are no such takes." }
    var table = TextTable([
      .whole("take", style: Style.faint), .whole("started (UTC)"), .text("room"), .text("song"), .number("number"),
      .number("length"), .number("tracks"), .whole("state", style: Style.state),
    ])
    for take in list.items.map(TakeView.init) {
      table.add([
        take.id, Reading.time(take.startedAt), take.room, take.song ?? "-", "\(take.number)",
        Reading.length(seconds: take.duration), "\(take.trackCount)", take.state,
      ])
    }
    return table.text + list.footer
  }
}
