import Music
import Recording
import Signaling

/// Reads what a body wants made of a take.
struct ExportFields {
  let tracks: [Track]
  let length: SamplePosition
  let cues: [Cue]

  static let names = ["kind", "format", "rate", "mix", "perspective", "follow", "source"]

  func request(_ fields: BodyFields) throws -> ExportRequest {
    let kind = try fields.optionalWord("kind", among: ExportKind.allCases.map { ($0.rawValue, $0) }) ?? .mix
    let formats = ExportFormat.allCases.filter(\.isAvailable)
    let format = try fields.optionalWord("format", among: formats.map { ($0.rawValue, $0) }) ?? .flac24
    let rates = format.rates.map { (String($0), $0) }
    var rate = Int(SamplePosition.rate)
    if let wish = try fields.optionalInteger("rate", in: 1...1_000_000) {
      guard format.rates.contains(Int(wish)) else {
        throw Problem.invalid(
          "rate", value: "\(wish)", "\(format.rawValue) has other sample rates", permitted: rates.map(\.0))
      }
      rate = Int(wish)
    }
    var settings = MixSettings()
    if let mix = try fields.optionalObject("mix") {
      let reading = MixFields(cues: cues)
      settings = try reading.settings(mix)
      settings.range = try reading.range(mix, length: length)
    }
    do throws(MixSettingsProblem) {
      try settings.check(tracks: tracks.map(\.number), length: length)
    } catch {
      throw Problem.invalid("mix.\(error.field)", value: error.value, error.description, permitted: [error.permitted])
    }
    let (perspective, title) = try self.perspective(fields)
    guard kind != .archive || perspective == .asPlayed else {
      throw Problem.invalid(
        "kind", value: kind.rawValue, "an archive is the take as it is and has no perspective",
        permitted: ExportKind.allCases.filter { $0 != .archive }.map(\.rawValue))
    }
    let source = try fields.optionalWord("source", among: TrackSource.allCases.map { ($0.rawValue, $0) }) ?? .take
    return ExportRequest(
      kind: kind, format: format, rate: rate, settings: settings, perspective: perspective, title: title,
      source: source)
  }

  private func perspective(_ fields: BodyFields) throws(Problem) -> (Perspective, title: String) {
    let heard = try fields.optionalString("perspective")
    if let leader = try fields.optionalString("follow") {
      guard heard == nil else {
        throw Problem.invalid("follow", value: leader, "\"perspective\" and \"follow\" exclude each other")
      }
      let track = try self.track(leader, "follow")
      return (.following(track.number), "following \(track.participant.name)")
    }
    guard let heard, heard != "as-played" else { return (.asPlayed, "as played") }
    let track = try self.track(heard, "perspective")
    return (.heard(by: track.number), "as \(track.participant.name) heard it")
  }

  /// The track of a musician by name, or by its number.
  private func track(_ text: String, _ field: String) throws(Problem) -> Track {
    var found = tracks.filter { $0.participant.name.description == text }
    if found.isEmpty { found = tracks.filter { "\($0.number)" == text || $0.id.description == text } }
    guard let track = found.first, found.count == 1 else {
      throw Problem.invalid(
        field, value: text,
        found.isEmpty
          ? "nobody of that name can be heard in this take"
          : "several have that name; give the number of the track",
        permitted: tracks.map { "\($0.participant.name)" } + tracks.map { "\($0.number)" })
    }
    return track
  }
}
