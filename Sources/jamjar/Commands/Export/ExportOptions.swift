import Music
import Recording

/// The options of `jamjar export` for one take, whether it is exported here or by a service.
struct ExportOptions {
  var time: PerspectiveOptions
  var mix: MixOptions
  var sound: SourceOptions
  var file: ExportFileOptions
  var project: ProjectOptions

  /// The export requested of a take.
  ///
  /// - Parameters:
  ///   - tracks: the take's tracks with audio.
  ///   - length: length of the take's time line.
  ///   - output: the `--output` argument; its extension decides the format if none is given.
  /// - Throws: `CommandFailure` naming the option, `ExportProblem.rate`.
  func wish(tracks: [Track], cues: [Cue], length: SamplePosition, output: String?) throws -> ExportWish {
    let names = MixWords(tracks: tracks, cues: cues)
    var words = ExportWords()
    if let format = project.format {
      words.kind = ExportKind(format)
    } else {
      words.format = try file.format(for: output)
      words.rate = file.rate
    }
    (words.perspective, words.follow) = (time.perspective, time.follow)
    words.source = sound.source ?? words.source
    words.hasBacking = sound.withBacking
    try mix.say(in: &words, names)
    do throws(ExportWishProblem) {
      return try ExportWish(words, tracks: tracks, length: length)
    } catch {
      throw refusal(error, names)
    }
  }

  /// The problem, worded for the command line.
  private func refusal(_ problem: ExportWishProblem, _ names: MixWords) -> any Error {
    switch problem {
    case .rate(let rate, let format): ExportProblem.rate(rate, format)
    case .emptyRange(let start, let end):
      CommandFailure(
        ExitCodes.usage,
        "--from is \(Reading.position(start)) and --to is \(Reading.position(end)); the end has to lie behind the "
          + "beginning")
    case .settings(let setting): CommandFailure(ExitCodes.usage, names.sentence(setting))
    case .perspective(let finding), .follow(let finding): names.refusal(finding)
    case .perspectiveAndFollow:
      CommandFailure(ExitCodes.usage, "--perspective and --follow exclude each other; give one of them")
    case .perspectiveOfArchive:
      CommandFailure(ExitCodes.usage, "an archive is the take as it is and has no perspective")
    case .backingOfTracks:
      CommandFailure(
        ExitCodes.usage, "--with-backing is for a mix; the files of a project are the musicians' tracks alone")
    }
  }
}
