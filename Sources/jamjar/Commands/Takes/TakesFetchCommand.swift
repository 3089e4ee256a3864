import ArgumentParser
import Music
import Server
import Signaling

/// Brings the sound of takes back from the object store.
struct TakesFetchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch", abstract: "Bring the sound files of takes back from the object store.",
    discussion: """
      Downloads and exports by a service bring back what they need by themselves. On a data folder this needs the \
      service's settings: JAMJAR_CONFIG, or JAMJAR_OBJECTS and the keys (docs/objects.md).
      """)

  @OptionGroup var takes: TakesArgument
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print the takes as JSON.")
  var json = false

  func run() async throws {
    try await CommandFailure.orExit {
      let source = try await shelf.source()
      var fetched: [JSONValue] = []
      for view in try await takes.find(in: source) {
        let take = try await source.fetch(try view.identifier(in: source))
        if json { fetched.append(.object(take.json)) } else { print("\(take.id)  \(take.room): all files are here") }
      }
      if json { print((takes.isOne ? fetched.first ?? .null : Representation.list(fetched, next: nil)).prettyText) }
    }
  }
}
