import ArgumentParser
import Music
import Server
import Signaling

/// Marks on a take's time line.
struct TakesCueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cue", abstract: "Add, change or remove cues of a take.",
    subcommands: [Add.self, Edit.self, Remove.self])

  static func show(_ cue: JSONObject, json: Bool) {
    guard !json else { return print(JSONValue.object(cue).prettyText) }
    let position = Reading.length(seconds: cue["position"]?.double)
    print("\(cue["id"]?.string ?? "")  \(position)  \((cue["text"]?.string ?? "").printable)")
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
    @OptionGroup var takes: TakesArgument
    @Option(name: .long, help: "Seconds from the take's zero, or 1:23.5.", transform: PlaceArgument.seconds)
    var at: Double
    @Option(name: .long, help: "What is there.") var text: String
    @OptionGroup var changes: ChangeOptions
    @OptionGroup var shelf: TakeShelfOptions
    @Flag(name: .long, help: "Print the cue as JSON.") var json = false

    func run() async throws {
      try await CommandFailure.orExit {
        let book = try await shelf.book(forReadingOnly: changes.isDryRun)
        let found = try await takes.find(in: book.takes)
        guard try changes.permit("mark", found, of: takes, json: json) else { return }
        var cues: [JSONObject] = []
        for view in found {
          let cue = try await book.addCue(to: try view.identifier(in: book.takes), at: at, text: text)
          cues.append(cue)
          if takes.isOne || !json { TakesCueCommand.show(cue, json: json) }
        }
        if json, !takes.isOne { print(Representation.list(cues.map { .object($0) }, next: nil).prettyText) }
      }
    }
  }

  struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Change a cue's place or text.")
    @Argument(help: "The take.", completion: .take) var take: String
    @Argument(help: "Id of the cue.") var cue: String
    @Option(name: .long, help: "Seconds from the take's zero, or 1:23.5.", transform: PlaceArgument.seconds)
    var at: Double?
    @Option(name: .long, help: "What is there.") var text: String?
    @OptionGroup var shelf: TakeShelfOptions
    @Flag(name: .long, help: "Print the cue as JSON.") var json = false

    func validate() throws {
      guard at != nil || text != nil else { throw ValidationError("nothing is to be changed; give --at or --text") }
    }

    func run() async throws {
      try await CommandFailure.orExit {
        let book = try await shelf.book(forReadingOnly: false)
        let id = try await book.findTake(take).id
        let changed = try await book.editCue(try TakesCueCommand.cue(cue), of: id, at: at, text: text)
        TakesCueCommand.show(changed, json: json)
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
        let book = try await shelf.book(forReadingOnly: false)
        let id = try await book.findTake(take).id
        try await book.removeCue(try TakesCueCommand.cue(cue), of: id)
        print(EditedTake(try await book.findTake(id.description).json).text)
      }
    }
  }
}
