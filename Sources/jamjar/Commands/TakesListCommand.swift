import ArgumentParser
import Catalog
import Foundation
import Music

/// The takes of a data folder, the newest first.
struct TakesListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List takes, the newest first.")

  @Option(name: .long, help: "Only those of this room.")
  var room: String?
  @Option(name: .long, help: "Only those of the song of this title.")
  var song: String?
  @Option(name: .long, help: "Only those in this state: \(TakeState.allCases.map(\.rawValue).joined(separator: ", ")).")
  var state: String?
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print JSON: an array of takes as in manifest.json; lengths in samples at 48 kHz.")
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
      let takes = try await takes(on: TakeShelf(shelf))
      print(json ? try PrettyJSON.text(takes) : table(takes))
    }
  }

  private func takes(on shelf: TakeShelf) async throws -> [Take] {
    var query = TakeQuery(
      room: try room.map { try RoomName(checking: $0) }, state: state.flatMap(TakeState.init(rawValue:)), limit: 200)
    if let title = song {
      guard let song = try await shelf.index.song(titled: title) else {
        throw CommandFailure(ExitCodes.noInput, "there is no song \"\(title)\" in \(shelf.data)")
      }
      query.song = song.id
    }
    var takes: [Take] = []
    repeat {
      let page = try await shelf.index.takes(query)
      takes += page.items
      query.cursor = page.next
    } while query.cursor != nil
    return takes
  }

  private func table(_ takes: [Take]) -> String {
    guard !takes.isEmpty else { return "There are no such takes." }
    var table = TextTable([
      .text("take"), .text("started (UTC)"), .text("room"), .text("song"), .number("number"), .number("length"),
      .number("tracks"), .text("state"),
    ])
    for take in takes {
      table.add([
        take.id.description, Reading.started(take), take.room.description, take.song?.title ?? "-", "\(take.number)",
        Reading.length(take.length), "\(take.trackCount)", take.state.rawValue,
      ])
    }
    return table.text
  }
}
