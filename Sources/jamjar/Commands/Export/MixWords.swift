import Music
import Recording

/// Parses tracks and times of a take as users type them.
struct MixWords {
  let tracks: [Track]
  let cues: [Cue]

  /// The track with this name or number.
  func track(_ text: String) throws(CommandFailure) -> Track {
    do throws(TrackFindingProblem) {
      return try TrackFinder(among: tracks).track(text)
    } catch {
      throw refusal(error)
    }
  }

  /// An error that says why the words identify no track, and which would.
  func refusal(_ problem: TrackFindingProblem) -> CommandFailure {
    let all = tracks.map { "\($0.participant.name) (track \($0.number))" }.joined(separator: ", ")
    return CommandFailure(
      ExitCodes.usage,
      problem.isAmbiguous
        ? "several are called \"\(problem.text)\"; give the track's number: \(all)"
        : "nobody called \"\(problem.text)\" can be heard in this take; there are \(all)")
  }

  /// "alice=-3": a track and a number.
  func number(_ text: String, of option: String, example: String) throws(CommandFailure) -> (Int, Double) {
    let (track, value) = try parts(text, of: option, example: example)
    guard let number = Double(value), number.isFinite else {
      throw CommandFailure(ExitCodes.usage, "\(option) \(text): \"\(value)\" is no number; write \(option) \(example)")
    }
    return (track, number)
  }

  /// "alice=12ms": a track and samples.
  func offset(_ text: String) throws(CommandFailure) -> (Int, Int64) {
    let (track, value) = try parts(text, of: "--offset", example: "alice=12ms")
    let units: [(String, Double)] = [("samples", 1), ("ms", Double(SamplePosition.rate) / 1_000)]
    for (unit, factor) in units + [("s", Double(SamplePosition.rate))] where value.hasSuffix(unit) {
      guard let number = Double(value.dropLast(unit.count)), let samples = Int64(exactly: (number * factor).rounded())
      else { break }
      return (track, samples)
    }
    throw CommandFailure(
      ExitCodes.usage, "--offset \(text): \"\(value)\" is no time; write 12ms, -0.5s or 480samples")
  }

  /// A length in seconds as samples.
  func samples(_ seconds: Double, of option: String) throws(CommandFailure) -> Int64 {
    guard let length = SamplePosition(seconds: seconds) else {
      throw CommandFailure(ExitCodes.usage, "\(option) is \(seconds); it has to be a number of seconds")
    }
    return length.samples
  }

  /// A place on the time line: a time, or the text or id of a cue.
  func place(_ text: String, of option: String) throws(CommandFailure) -> SamplePosition {
    if let position = MixWords.time(text) { return position }
    if let cue = cues.first(where: { $0.id.description == text.uppercased() }) { return cue.position }
    var found = cues.filter { $0.text == text }
    if found.isEmpty { found = cues.filter { $0.text.lowercased() == text.lowercased() } }
    let all = cues.sorted { $0.position < $1.position }
      .map { "\"\($0.text)\" at \(Reading.position($0.position))" }.joined(separator: ", ")
    guard let cue = found.first else {
      throw CommandFailure(
        ExitCodes.usage,
        "\(option) is \"\(text)\", which is no time (1:23.5) and no cue of the take; "
          + (cues.isEmpty ? "the take has no cues" : "its cues: \(all)"))
    }
    guard found.count == 1 else {
      throw CommandFailure(
        ExitCodes.usage, "several cues are called \"\(text)\"; give the time of one of them: \(all)")
    }
    return cue.position
  }

  /// "83.5", "1:23.5" or "1:02:03".
  static func time(_ text: String) -> SamplePosition? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), let last = parts.last, last.first?.isNumber == true,
      let seconds = Double(last), seconds.isFinite, parts.count == 1 || seconds < 60
    else { return nil }
    var whole = 0.0
    for part in parts.dropLast() {
      guard let number = UInt32(part) else { return nil }
      whole = whole * 60 + Double(number)
    }
    return SamplePosition(seconds: parts.count == 1 ? seconds : whole * 60 + seconds)
  }

  /// The problem with the settings, worded for the command line.
  func sentence(_ problem: MixSettingsProblem) -> String {
    let options = [
      "gain": "--gain", "pan": "--pan", "offset": "--offset", "highPass": "--high-pass", "loudness": "--normalize",
      "truePeak": "--true-peak", "fadeIn": "--fade-in", "fadeOut": "--fade-out", "range": "--from or --to",
    ]
    let parts = problem.field.split(separator: ".").map(String.init)
    var field = problem.field == "gain" ? "--master" : parts.last.flatMap { options[$0] } ?? problem.field
    if parts.count == 3, let track = tracks.first(where: { "\($0.number)" == parts[1] }) {
      field += " of \(track.participant.name)"
    }
    return "\(field) is \(problem.value); permitted: \(problem.permitted)"
  }

  private func parts(_ text: String, of option: String, example: String) throws(CommandFailure) -> (Int, String) {
    guard let sign = text.lastIndex(of: "=") else {
      throw CommandFailure(ExitCodes.usage, "\(option) \(text): write a track and a value, \(option) \(example)")
    }
    return (try track(String(text[..<sign])).number, String(text[text.index(after: sign)...]))
  }
}
