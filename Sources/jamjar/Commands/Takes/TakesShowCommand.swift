import ArgumentParser
import Music
import Recording
import Signaling

/// Shows a take's certificate: the accuracy of each track's position, and everything that is missing.
struct TakesShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a take: accuracy of its tracks' positions, losses, gaps and cues.")

  @Argument(help: "Id of the take, the first 6 or more characters of it, or last.", completion: .take)
  var take: String
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
      let take = try await source.find(take)
      if manifest {
        guard let manifest = try await source.manifest(of: take) else {
          throw CommandFailure(ExitCodes.unsuitable, "the take \(take.id) is \(take.state) and has no manifest yet")
        }
        print(try PrettyJSON.text(manifest))
        return
      }
      let tracks = try await source.tracks(of: take)
      if json {
        var object = take.json
        object["tracks"] = .array(tracks)
        print(JSONValue.object(object).prettyText)
      } else {
        let manifest = try await source.manifest(of: take)
        print(
          TakeCertificate(
            take, tracks: tracks.compactMap(\.object), manifest: manifest,
            place: source.place(of: take, manifest: manifest)
          ).text)
      }
    }
  }
}
