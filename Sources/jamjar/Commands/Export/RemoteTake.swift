import Music
import Recording
import Signaling

/// The part of a service's take that is needed to request an export.
struct RemoteTake {
  /// The tracks with audio.
  let tracks: [Track]
  let cues: [Cue]
  /// Length of the time line.
  let length: SamplePosition

  /// - Throws: `CommandFailure` if the take has no files, and errors of the source.
  init(_ view: TakeView, from source: any TakeSource) async throws {
    guard let manifest = try await source.manifest(of: view) else {
      throw CommandFailure(
        ExitCodes.unsuitable, "the take \(view.id) is \(view.state) and has no files yet; wait until it is ready")
    }
    tracks = manifest.audibleTracks
    cues = try view.cues.map { try RemoteTake.cue($0, from: source) }
    length = manifest.length
  }

  private static func cue(_ json: JSONObject, from source: any TakeSource) throws(CommandFailure) -> Cue {
    guard let id = json["id"]?.string.flatMap({ CueID($0) }), let seconds = json["position"]?.double,
      let position = SamplePosition(seconds: seconds), let text = json["text"]?.string
    else { throw CommandFailure(ExitCodes.unavailable, "\(source.place) shows a cue that is none") }
    return Cue(id: id, position: position, text: text)
  }
}
