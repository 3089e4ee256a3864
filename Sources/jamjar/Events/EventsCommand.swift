import ArgumentParser
import Foundation
import Library
import Music
import Server
import Signaling

/// Prints the events of a data folder or a service.
struct EventsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "Print edits as they happen, or all events of a service.",
    discussion: """
      In a data folder, prints the logged edits of takes, songs and people by all programs, in order; with --follow also \
      those to come. With --server and --follow, prints all events of the service, and connects again whenever the \
      connection breaks. Ctrl-C ends it with exit code 0.
      """)

  @Flag(name: .shortAndLong, help: "Wait for events to come; without --after, print only those.")
  var follow = false
  @Option(
    name: .long, help: "Begin after the event with this id: the number of an edit, or an id that a service gave.")
  var after: String?
  @Option(name: .long, help: "Only events of this room.")
  var room: String?
  @Option(name: .long, help: "Only these types or groups of types, separated by commas: take.edited,song")
  var types: String?
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  /// Parses the filter.
  private func filter() throws -> EventFilter {
    var filter = EventFilter()
    if let room {
      do throws(NameError) { filter.room = try RoomName(checking: room) } catch {
        throw ValidationError("--room: \(error)")
      }
    }
    if let types {
      do throws(EventFilter.UnknownWord) { filter.kinds = try EventFilter.kinds(types) } catch {
        throw ValidationError(
          "--types has \"\(error.word.prefix(64))\"; permitted: \(EventFilter.words)")
      }
    }
    return filter
  }

  func validate() throws {
    _ = try filter()
    if let after, UInt64(after) == nil, EventID(after) == nil {
      throw ValidationError("--after is \"\(after.prefix(100))\"; permitted: the id of an event, as printed by --json")
    }
  }

  func run() async throws {
    // Every line is written at once, so nothing is left to do.
    for number in [SIGINT, SIGTERM] { signal(number) { _ in _exit(0) } }
    signal(SIGPIPE, SIG_IGN)
    let lines = EventLines(isJSON: json)
    do {
      try await CommandFailure.orExit {
        if let address = try shelf.address {
          guard follow else {
            throw CommandFailure(
              ExitCodes.usage, "over REST events can only be followed; add --follow, or name the data folder by --data")
          }
          try await RemoteEvents(address, key: shelf.key, room: room, types: types).follow(after: after, lines)
        } else {
          try await printLog(lines)
        }
      }
    } catch is EventLines.Closed {}
  }

  /// How often to look for new edits.
  private static let pause = Duration.milliseconds(200)
  /// Edits read from the log at once.
  private static let batch = 256

  private func printLog(_ lines: EventLines) async throws {
    let data = try await shelf.folder
    guard FileManager.default.fileExists(atPath: data) else {
      throw CommandFailure(ExitCodes.noInput, "there is no data folder \(data); name it with --data")
    }
    let filter = try filter()
    let log = EditLog(recordings: data)
    var place = try start(log.last())
    while true {
      let edits = try log.edits(after: place, limit: EventsCommand.batch)
      for edit in edits {
        place = edit.number
        guard let event = edit.event, filter.admits(event) else { continue }
        try lines.write("\(edit.number)", Representation.event(event))
      }
      guard edits.isEmpty else { continue }
      guard follow else { return }
      // The folder was emptied, and edits are counted anew.
      if try log.last() < place { place = 0 }
      try await Task.sleep(for: EventsCommand.pause)
    }
  }

  /// The edit after which to begin, where `last` is the latest one.
  private func start(_ last: UInt64) throws(CommandFailure) -> UInt64 {
    guard let after else { return follow ? last : 0 }
    guard let place = UInt64(after) ?? EventID(after)?.edit else {
      throw CommandFailure(
        ExitCodes.usage, "--after is \"\(after)\", which does not name an edit; give an edit's number")
    }
    guard place <= last else {
      throw CommandFailure(ExitCodes.usage, "--after is \(place), but the latest edit is \(last)")
    }
    return place
  }
}

extension EventFilter {
  /// The permitted words, for messages.
  fileprivate static var words: String { ServiceEventKind.filterWords.joined(separator: ", ") }
}
