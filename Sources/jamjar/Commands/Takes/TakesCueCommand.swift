import ArgumentParser
import Music
import Rooms
import Server
import Signaling

/// Marks on a take's time line.
struct TakesCueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cue", abstract: "Add, change or remove cues of a take.",
    subcommands: [Add.self, Edit.self, Remove.self])

  /// Seconds as a place on the time line.
  static func position(_ seconds: Double) throws -> SamplePosition {
    guard let samples = Int64(exactly: (seconds * Double(SamplePosition.rate)).rounded()), samples >= 0 else {
      throw ValidationError("--at is \(seconds); permitted: 0 or more seconds")
    }
    return SamplePosition(samples)
  }

  static func cue(_ text: String) throws(CommandFailure) -> CueID {
    guard let id = CueID(text) else {
      throw CommandFailure(
        ExitCodes.usage, "\"\(text.prefix(64))\" is no id of a cue, 26 characters; jamjar takes show --json lists them")
    }
    return id
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Add a cue, also after the take has ended.")
    @Argument(help: "The take.", completion: .take) var take: String
    @Option(name: .long, help: "Seconds from the take's zero.") var at: Double
    @Option(name: .long, help: "What is there.") var text: String
    @OptionGroup var shelf: TakeShelfOptions
    @Flag(name: .long, help: "Print the cue as JSON.") var json = false

    func validate() throws { _ = try TakesCueCommand.position(at) }

    func run() async throws {
      try await CommandFailure.orExit {
        let (shelf, library) = try await shelf.library()
        let position = try TakesCueCommand.position(at)
        let (cue, _) = try await library.addCue(to: try await shelf.take(take).id, at: position, text: text)
        print(
          json
            ? Representation.cue(cue).prettyText : "\(cue.id)  \(Reading.position(cue.position))  \(cue.text.printable)"
        )
      }
    }
  }

  struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Change a cue's place or text.")
    @Argument(help: "The take.", completion: .take) var take: String
    @Argument(help: "Id of the cue.") var cue: String
    @Option(name: .long, help: "Seconds from the take's zero.") var at: Double?
    @Option(name: .long, help: "What is there.") var text: String?
    @OptionGroup var shelf: TakeShelfOptions
    @Flag(name: .long, help: "Print the cue as JSON.") var json = false

    func validate() throws {
      guard at != nil || text != nil else { throw ValidationError("nothing is to be changed; give --at or --text") }
      if let at { _ = try TakesCueCommand.position(at) }
    }

    func run() async throws {
      try await CommandFailure.orExit {
        let (shelf, library) = try await shelf.library()
        let (position, text) = (try at.map { try TakesCueCommand.position($0) }, text)
        let (changed, _) = try await library.editCue(
          try TakesCueCommand.cue(cue), of: try await shelf.take(take).id
        ) { cue in
          if let position { cue.position = position }
          if let text { cue.text = text }
        }
        print(
          json
            ? Representation.cue(changed).prettyText
            : "\(changed.id)  \(Reading.position(changed.position))  \(changed.text.printable)")
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Remove a cue.")
    @Argument(help: "The take.", completion: .take) var take: String
    @Argument(help: "Id of the cue.") var cue: String
    @OptionGroup var shelf: TakeShelfOptions

    func run() async throws {
      try await CommandFailure.orExit {
        let (shelf, library) = try await shelf.library()
        let take = try await library.removeCue(try TakesCueCommand.cue(cue), of: try await shelf.take(take).id)
        print(EditedTake(take).text)
      }
    }
  }
}
