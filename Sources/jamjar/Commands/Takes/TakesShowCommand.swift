import ArgumentParser
import Music
import Recording
import Server
import Signaling

/// Shows a take's certificate: the accuracy of each track's position, and everything that is missing.
struct TakesShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a take: accuracy of its tracks' positions, losses, gaps and cues.")

  @OptionGroup var takes: TakesArgument
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print JSON, as returned by GET /v1/takes/TAKE, with \"tracks\" added.")
  var json = false
  @Flag(name: .long, help: "Print the take's manifest (JSON) as stored in its folder.")
  var manifest = false

  func validate() throws {
    if json, manifest { throw ValidationError("--json and --manifest exclude each other; give one of them") }
  }

  func run() async throws {
    try await CommandFailure.orExit {
      let source = try await shelf.source()
      var shown: [JSONValue] = []
      for (index, take) in try await takes.findWhole(in: source).enumerated() {
        if json {
          var object = take.json
          object["tracks"] = .array(try await source.tracks(of: take))
          shown.append(.object(object))
        } else {
          if index > 0 { print() }
          print(try await text(of: take, in: source))
        }
      }
      if json { print((takes.isOne ? shown.first ?? .null : Representation.list(shown, next: nil)).prettyText) }
    }
  }

  private func text(of take: TakeView, in source: any TakeSource) async throws -> String {
    let found = try await source.manifest(of: take)
    if manifest {
      guard let found else {
        throw CommandFailure(ExitCodes.unsuitable, "the take \(take.id) is \(take.state) and has no manifest yet")
      }
      return try PrettyJSON.text(found)
    }
    let tracks = try await source.tracks(of: take)
    return TakeCertificate(
      take, tracks: tracks.compactMap(\.object), manifest: found, place: source.place(of: take, manifest: found)
    ).text
  }
}
