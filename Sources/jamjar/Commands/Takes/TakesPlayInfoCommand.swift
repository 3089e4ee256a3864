import ArgumentParser
import Foundation
import Music
import Recording
import Server
import Signaling

/// Shows the information that a player needs about a take: files, formats, levels, cues.
struct TakesPlayInfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play-info",
    abstract: "Show what players need: files with paths or URLs, length, format, channels, gains, loudness, cues.")

  @OptionGroup var takes: TakesArgument
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print JSON.")
  var json = false

  func run() async throws {
    try await CommandFailure.orExit {
      let source = try await shelf.source()
      var sheets: [JSONValue] = []
      for (index, take) in try await takes.findWhole(in: source).enumerated() {
        guard let manifest = try await source.manifest(of: take) else {
          throw CommandFailure(
            ExitCodes.unsuitable, "the take \(take.id) is \(take.state) and has no files to play yet")
        }
        let info = PlaySheet(take, manifest: manifest) { source.place(of: $0, in: manifest.take.folder, of: take) }
        if json {
          sheets.append(info.json)
        } else {
          if index > 0 { print() }
          print(info.text)
        }
      }
      if json { print((takes.isOne ? sheets.first ?? .null : Representation.list(sheets, next: nil)).prettyText) }
    }
  }
}
