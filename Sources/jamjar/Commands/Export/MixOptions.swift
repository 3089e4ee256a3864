import ArgumentParser
import Music
import Recording

/// The options of the mix. Numbers may be negative.
struct MixOptions: ParsableArguments {
  @Option(
    name: .long, parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Gain of a track relative to the take's own mix, in dB: alice=-3.", valueName: "name=db"))
  var gain: [String] = []
  @Option(
    name: .long, parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Pan position of a track, -1 left, 0 centre, 1 right: alice=0.5.", valueName: "name=place"))
  var pan: [String] = []
  @Option(
    name: .long, parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Mute a track.", valueName: "name"))
  var mute: [String] = []
  @Option(
    name: .long, parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Mute all other tracks.", valueName: "name"))
  var solo: [String] = []
  @Option(
    name: .long, parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Move a track: alice=12ms, -0.5s or 480samples; positive is later.", valueName: "name=time"))
  var offset: [String] = []
  @Option(
    name: .long, parsing: .unconditionalSingleValue,
    help: ArgumentHelp("High-pass filter for a track, in Hz: alice=80.", valueName: "name=hz"))
  var highPass: [String] = []
  @Option(
    name: .long, parsing: .unconditional, help: ArgumentHelp("Gain of the whole mix, in dB.", valueName: "db"))
  var master: Double?
  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp("Target loudness in LUFS: -16 for the web, -23 for EBU R 128.", valueName: "lufs"))
  var normalize: Double?
  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp("Maximum true peak with --normalize, in dBTP. (default: -1)", valueName: "dbtp"))
  var truePeak: Double?
  @Option(
    name: .long, parsing: .unconditional, help: ArgumentHelp("Fade-in length in seconds.", valueName: "seconds"))
  var fadeIn: Double?
  @Option(
    name: .long, parsing: .unconditional, help: ArgumentHelp("Fade-out length in seconds.", valueName: "seconds"))
  var fadeOut: Double?
  @Option(
    name: .long,
    help: ArgumentHelp("Begin here: a time (1:23.5), or the text or id of a cue.", valueName: "place"))
  var from: String?
  @Option(
    name: .long, help: ArgumentHelp("End here: a time (1:23.5), or the text or id of a cue.", valueName: "place"))
  var to: String?

  func validate() throws {
    if truePeak != nil, normalize == nil {
      throw ValidationError(
        "--true-peak is the ceiling of --normalize; give that too (the mix's own ceiling is -1 dBTP)")
    }
  }

  /// Enters these options into `words`.
  /// - Throws: `CommandFailure` naming the option.
  func say(in words: inout ExportWords, _ names: MixWords) throws(CommandFailure) {
    var settings = MixSettings(gain: master ?? 0)
    for text in gain {
      let (track, value) = try names.number(text, of: "--gain", example: "alice=-3")
      settings.channels[track, default: .init()].gain = value
    }
    for text in pan {
      let (track, value) = try names.number(text, of: "--pan", example: "alice=0.5")
      settings.channels[track, default: .init()].pan = value
    }
    for text in highPass {
      let (track, value) = try names.number(text, of: "--high-pass", example: "alice=80")
      settings.channels[track, default: .init()].highPass = value
    }
    for text in offset {
      let (track, value) = try names.offset(text)
      settings.channels[track, default: .init()].offset = value
    }
    for name in mute { settings.channels[try names.track(name).number, default: .init()].isMuted = true }
    for name in solo { settings.channels[try names.track(name).number, default: .init()].isSolo = true }
    if let normalize {
      settings.normalization = .init(
        loudness: normalize, truePeak: truePeak ?? MixSettings.Normalization.defaultTruePeak)
    }
    settings.fadeIn = try names.samples(fadeIn ?? 0, of: "--fade-in")
    settings.fadeOut = try names.samples(fadeOut ?? 0, of: "--fade-out")
    words.settings = settings
    words.from = try from.map { text throws(CommandFailure) in try names.place(text, of: "--from") }
    words.to = try to.map { text throws(CommandFailure) in try names.place(text, of: "--to") }
  }
}
