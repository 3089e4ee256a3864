import Music
import Recording
import Signaling

/// Parses a request body for an export of a take.
struct ExportFields {
  let tracks: [Track]
  let length: SamplePosition
  let cues: [Cue]

  static let names = ["kind", "format", "rate", "mix", "perspective", "follow", "source", "backing"]

  /// - Throws: `Problem` naming the field.
  func wish(_ fields: BodyFields) throws(Problem) -> ExportWish {
    let words = try words(fields)
    do throws(ExportWishProblem) {
      return try ExportWish(words, tracks: tracks, length: length)
    } catch {
      throw problem(error, of: words)
    }
  }

  private func words(_ fields: BodyFields) throws(Problem) -> ExportWords {
    var words = ExportWords()
    words.kind = try fields.optionalWord("kind", among: ExportKind.allCases.map { ($0.rawValue, $0) }) ?? words.kind
    let formats = ExportFormat.allCases.filter(\.isAvailable)
    words.format = try fields.optionalWord("format", among: formats.map { ($0.rawValue, $0) }) ?? words.format
    words.rate = try fields.optionalInteger("rate", in: 1...1_000_000).map { Int($0) }
    if let mix = try fields.optionalObject("mix") {
      let reading = MixFields(cues: cues)
      words.settings = try reading.settings(mix)
      words.from = try reading.place(mix, "from")
      words.to = try reading.place(mix, "to")
    }
    words.perspective = try fields.optionalString("perspective")
    words.follow = try fields.optionalString("follow")
    words.source =
      try fields.optionalWord("source", among: TrackSource.allCases.map { ($0.rawValue, $0) }) ?? words.source
    words.hasBacking = try fields.optionalBool("backing") ?? false
    return words
  }

  /// The problem, worded for REST.
  private func problem(_ problem: ExportWishProblem, of words: ExportWords) -> Problem {
    switch problem {
    case .rate(let rate, let format):
      Problem.invalid(
        "rate", value: "\(rate)", "\(format.rawValue) has other sample rates", permitted: format.rates.map { "\($0)" })
    case .emptyRange(let start, let end):
      Problem.invalid(
        words.to == nil ? "mix.from" : "mix.to", value: "\((words.to == nil ? start : end).seconds)",
        "\"from\" (\(start.seconds) s) must lie before \"to\" (\(end.seconds) s)")
    case .settings(let setting):
      Problem.invalid(
        "mix.\(setting.field)", value: setting.value, setting.description, permitted: [setting.permitted])
    case .perspective(let finding): unfound(finding, "perspective")
    case .follow(let finding): unfound(finding, "follow")
    case .perspectiveAndFollow:
      Problem.invalid("follow", value: words.follow, "\"perspective\" and \"follow\" exclude each other")
    case .perspectiveOfArchive:
      Problem.invalid(
        "kind", value: words.kind.rawValue, "an archive is the take as it is and has no perspective",
        permitted: ExportKind.allCases.filter { $0 != .archive }.map(\.rawValue))
    case .backingOfTracks:
      Problem.invalid(
        "backing", value: "true", "\"backing\" is for a mix; the files of a project are the musicians' tracks alone",
        permitted: ["false"])
    }
  }

  private func unfound(_ finding: TrackFindingProblem, _ field: String) -> Problem {
    Problem.invalid(
      field, value: finding.text,
      finding.isAmbiguous
        ? "several have that name; give the number of the track"
        : "nobody of that name can be heard in this take",
      // in range: a list
      permitted: tracks.map { "\($0.participant.name)" } + tracks.map { "\($0.number)" })
  }
}
