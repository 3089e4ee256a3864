import Music
import Recording
import Server
import Signaling

/// What the words of `jamjar export` mean for a take of a service: a body of `POST /v1/takes/TAKE/exports`.
struct RemoteExportWish {
  let take: TakeView
  let body: JSONObject

  /// - Parameter output: what was asked for; its ending decides the format where `file` does not.
  /// - Throws: `CommandFailure` that names the option; what the source throws.
  init(
    _ take: TakeView, from source: any TakeSource, time: PerspectiveOptions, mix: MixOptions,
    file: ExportFileOptions, project: ProjectOptions, isLossless: Bool, output: String?
  ) async throws {
    guard let manifest = try await source.manifest(of: take) else {
      throw CommandFailure(
        ExitCodes.unsuitable, "the take \(take.id) is \(take.state) and has no files yet; wait until it is ready")
    }
    self.take = take
    let tracks = manifest.audibleTracks
    let cues = try take.cues.map { try RemoteExportWish.cue($0, from: source) }
    let length = manifest.take.length ?? tracks.compactMap(\.length).max() ?? .zero
    let settings = try mix.settings(tracks: tracks, cues: cues, length: length)
    var body: JSONObject = ["mix": .object(Representation.mix(settings))]
    if let project = project.format {
      body["kind"] = .string(project.rawValue)
    } else {
      body["format"] = .string(try RemoteExportWish.format(file, output: output).rawValue)
      if let rate = file.rate { body["rate"] = .integer(Int64(rate)) }
    }
    if let leader = time.follow {
      body["follow"] = .string("\(try ExportChoice.track(leader, among: tracks).number)")
    } else if let listener = time.perspective, listener != "as-played" {
      body["perspective"] = .string("\(try ExportChoice.track(listener, among: tracks).number)")
    }
    if isLossless { body["source"] = "lossless" }
    self.body = body
  }

  private static func format(_ file: ExportFileOptions, output: String?) throws -> ExportFormat {
    if let format = file.format.flatMap(ExportFormat.init(named:)) { return format }
    guard let output, !output.hasSuffix("/") else { return .flac24 }
    guard let format = ExportFormat.allCases.first(where: { output.lowercased().hasSuffix("." + $0.ending) }) else {
      throw CommandFailure(
        ExitCodes.usage, "\(output) ends in none of .flac, .wav, .opus and .mp3; choose one of them, or say --format")
    }
    return format
  }

  private static func cue(_ json: JSONObject, from source: any TakeSource) throws(CommandFailure) -> Cue {
    guard let id = json["id"]?.string.flatMap({ CueID($0) }), let seconds = json["position"]?.double,
      let position = SamplePosition(seconds: seconds), let text = json["text"]?.string
    else { throw CommandFailure(ExitCodes.unavailable, "\(source.place) shows a cue that is none") }
    return Cue(id: id, position: position, text: text)
  }
}
