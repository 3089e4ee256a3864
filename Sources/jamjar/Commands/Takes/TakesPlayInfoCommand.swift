import ArgumentParser
import Foundation
import Music
import Recording
import Signaling

/// Shows the information that a player needs about a take: files, formats, levels, cues.
struct TakesPlayInfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play-info",
    abstract: "Show what players need: files with paths or URLs, length, format, channels, gains, loudness, cues.")

  @Argument(help: "Id of the take, the first 6 or more characters of it, or last.", completion: .take)
  var take: String
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print JSON.")
  var json = false

  func run() async throws {
    try await CommandFailure.orExit {
      let source = try await shelf.source()
      let take = try await source.find(take)
      guard let manifest = try await source.manifest(of: take) else {
        throw CommandFailure(ExitCodes.unsuitable, "the take \(take.id) is \(take.state) and has no files to play yet")
      }
      let info = PlaySheet(take, manifest: manifest) { source.place(of: $0, in: manifest.take.folder, of: take) }
      print(json ? info.json.prettyText : info.text)
    }
  }
}
