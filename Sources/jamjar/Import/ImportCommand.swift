import ArgumentParser
import Catalog
import Foundation
import Library
import Music
import Recording
import Server
import Signaling

/// Makes takes of existing recordings.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Make takes of existing multitrack recordings.",
    discussion: """
      Each folder of sound files, each Reaper project (.rpp) and each OpenTok archive (.zip) becomes one take, and all \
      other files together become one take: a track for each file. WAV, broadcast WAV, FLAC, AIFF, Ogg, MP3, WebM and \
      recordings of Janus (.mjr) are read. Broadcast WAV files and recordings of Janus lie against each other as their \
      times tell; other files begin at the take's zero. With --server the files are sent to the service, which makes the \
      takes.
      """)

  @Argument(help: "Sound files, folders of them, Reaper projects, or OpenTok archives.", completion: .file())
  var paths: [String]
  @Option(name: .long, help: "Room of the takes.")
  var room = "Import"
  @Option(name: .long, help: "Title of the song; a new one is added to the song book.")
  var song: String?
  @Option(
    name: .long, help: "When it was recorded: a date (UTC) or RFC 3339 time. (default: as the files tell)",
    transform: InstantArgument.init)
  var at: InstantArgument?
  @Flag(name: .long, help: "Move tracks so that the sound that several microphones heard fits, by up to 10 s.")
  var align = false
  @Flag(name: .long, help: "Begin all files at the take's zero, whatever their times tell.")
  var fromStart = false
  @Flag(name: .long, help: "Import files again that are in a take already.")
  var again = false
  @Flag(name: .long, help: "Only print what would be made.")
  var dryRun = false
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print JSON: the takes as REST returns them.")
  var json = false

  func validate() throws {
    guard !paths.isEmpty else {
      throw ValidationError("name sound files, a folder, a Reaper project or an archive to import")
    }
    do throws(NameError) { _ = try RoomName(checking: room) } catch { throw ValidationError("--room: \(error)") }
    do throws(ValueProblem) { if let song { try TextKind.title.check(song) } } catch {
      throw ValidationError("--song: \(error)")
    }
  }

  func run() async throws {
    try await CommandFailure.orExit {
      do {
        let plans = try ImportPlanner(ignoresTimes: fromStart).plans(for: paths)
        if let address = try shelf.address {
          return try await run(plans, at: try RemoteSource(address, key: shelf.key))
        }
        let shelf = try await TakeShelf(shelf, forReadingOnly: false)
        let library = try Library(recordings: shelf.data, index: shelf.index)
        var run = ImportRun(
          library: library, room: try RoomName(checking: room), aligns: align, repeats: again, isRehearsal: dryRun)
        if let song, !dryRun { run.song = try await library.song(titled: song) }
        Interruption.watch()
        var made: [JSONValue] = []
        for var plan in plans {
          if let at { plan.startedAt = at.time }
          switch try await run.carryOut(plan) {
          case .made(let take):
            made.append(.object(Representation.take(take)))
            if !json { print(sentence(take, plan)) }
          case .known(let take):
            Terminal.complain("jamjar: \(plan.origin) is the take \(take.id) already; say --again to import it again")
          case .planned:
            if !json { print(rehearsal(plan)) }
          }
        }
        if json { print(Representation.list(made, next: nil).prettyText) }
      } catch let problem as ImportProblem {
        throw CommandFailure(ExitCodes.unsuitable, problem.description)
      }
    }
  }

  /// Has a service make the takes.
  private func run(_ plans: [ImportPlan], at source: RemoteSource) async throws {
    guard !dryRun else {
      for var plan in plans {
        if let at { plan.startedAt = at.time }
        if !json { print(rehearsal(plan)) }
      }
      if json { print(Representation.list([], next: nil).prettyText) }
      return
    }
    var wish: JSONObject = [
      "room": .string(room), "align": .bool(align), "fromStart": .bool(fromStart), "again": .bool(again),
    ]
    if let song { wish["song"] = .string(song) }
    if let at { wish["at"] = .string(at.time.description) }
    Interruption.watch()
    var made: [JSONValue] = []
    for plan in plans {
      let bar = ProgressBar("importing")
      defer { bar.clear() }
      let outcome = try await RemoteImport(wish: wish, source: source).carryOut(plan) { part in
        try Interruption.check()
        bar.show(part)
      }
      bar.clear()
      for id in outcome.known {
        Terminal.complain("jamjar: \(plan.origin) is the take \(id) already; say --again to import it again")
      }
      for id in outcome.made {
        let take = try await source.get("/v1/takes/\(id)")
        made.append(take)
        guard !json, let view = take.object.map(TakeView.init) else { continue }
        let length = view.duration.map { ", \(Reading.length(seconds: $0))" } ?? ""
        print(
          """
          Take \(view.number)\(view.song.map { " of \"\($0)\"" } ?? "") in room "\(view.room)", from \(plan.origin)
            \(view.id), \(view.trackCount) tracks\(length), \(Reading.time(view.startedAt)) UTC
          """.printableLines)
      }
    }
    if json { print(Representation.list(made, next: nil).prettyText) }
  }

  private func sentence(_ take: Take, _ plan: ImportPlan) -> String {
    let song = take.song.map { " of \"\($0.title)\"" } ?? ""
    return """
      Take \(take.number)\(song) in room "\(take.room)", from \(plan.origin)
        \(take.id), \(take.trackCount) tracks, \(Reading.length(take.length)), \(Reading.started(take)) UTC
      """.printableLines
  }

  private func rehearsal(_ plan: ImportPlan) -> String {
    var table = TextTable([
      .text("track"), .number("begins s"), .number("length"), .number("Hz"), .text("placed by"), .text("file"),
    ])
    for lane in plan.lanes {
      for piece in lane.pieces {
        let source = plan.sources[piece.source]
        let channel = piece.channel.map { ", channel \($0 + 1)" } ?? ""
        table.add([
          lane.name.description, Reading.fixed(SamplePosition(piece.position).seconds, 4),
          Reading.length(SamplePosition(piece.length)), "\(source.rate)", lane.basis, source.name + channel,
        ])
      }
    }
    let notes = plan.notes.map { "\n  \($0.printable)" }.joined()
    return "\(plan.origin.printable): \(Reading.time(plan.startedAt.description)) UTC, "
      + "\(Reading.length(SamplePosition(plan.length)))\n\(table.text)\(notes)"
  }
}
