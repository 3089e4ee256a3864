import ArgumentParser
import Music
import Recording

/// A take's certificate: how exactly each track lies, and everything that is missing of it.
struct TakesShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show how exactly a take's tracks lie, what was lost, and every gap.")

  @Argument(help: "Id of the take, the first 6 or more characters of it, or last.")
  var take: String
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print JSON: the take's manifest.")
  var json = false

  func run() async throws {
    try await CommandFailure.orExit {
      let shelf = try await TakeShelf(shelf)
      let manifest = try await shelf.manifest(of: shelf.take(take))
      print(json ? try PrettyJSON.text(manifest) : TakeCertificate(manifest, data: shelf.data).text)
    }
  }
}
