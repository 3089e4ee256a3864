import ArgumentParser
import Foundation
import Machines
import Music
import Recording

/// Mixes a finished take into one file, in the time of whoever is asked for.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Mix a take into one file: as played, as a musician heard it, or following one.",
    discussion: """
      TAKE is a take's id, the first 6 or more characters of it, or last for the newest. NAME is a musician's name in \
      the take, or the number of the track where two have one name. See docs/perspective.md.
      """)

  @Argument(help: "Id of the take, the first 6 or more characters of it, or last.")
  var take: String
  @Option(name: .long, help: "as-played, or the NAME of the musician whose headphones it is. (default: as-played)")
  var perspective: String?
  @Option(name: .long, help: "NAME of the musician whom the others followed: lays together what they played together.")
  var follow: String?
  @Option(name: .long, help: "flac24, flac16 or wav24. (default: by the ending of --output, or flac24)")
  var format: String?
  @Option(name: .long, help: "File to write; it must not exist. (default: named after the take, in this folder)")
  var output: String?
  @OptionGroup var shelf: TakeShelfOptions

  func validate() throws {
    if perspective != nil, follow != nil {
      throw ValidationError("--perspective and --follow exclude each other; give one of them")
    }
    if let format, SoundFileFormat(rawValue: format) == nil {
      let all = SoundFileFormat.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--format is \(format); permitted: \(all)")
    }
  }

  func run() async throws {
    try await CommandFailure.orExit {
      let shelf = try await TakeShelf(shelf)
      let take = try await shelf.take(take)
      let folder = try shelf.finishedFolder(of: take)
      guard folder.has(TakeFolder.manifestName) else {
        throw CommandFailure(
          ExitCodes.unsuitable,
          "the take \(take.id) is \(take.state.rawValue) and has no files; \"jamjar takes render\" makes them")
      }
      let manifest = try await shelf.manifest(of: take)
      let export = TakeExport(of: folder, manifest: manifest)
      let choice = try ExportChoice(perspective: perspective, follow: follow, tracks: export.tracks)
      let name = "\(take.room) \(take.startedAt.date) take \(take.number) \(choice.title)"
      let target = try ExportTarget(
        output, format: format.flatMap(SoundFileFormat.init(rawValue:)),
        name: FileName.portable(name, fallback: "take"))
      let mix = try export.write(
        target.name, in: target.folder, format: target.format, shifts: try export.shifts(for: choice.perspective),
        title: choice.title)
      print(report(mix, of: manifest, choice, target))
    }
  }

  private func report(
    _ mix: ExportedMix, of manifest: Manifest, _ choice: ExportChoice, _ target: ExportTarget
  ) -> String {
    let take = manifest.take
    var lines = [
      "Take \(take.number) in room \"\(take.room)\", \(choice.title): \(target.path)",
      "  \(Reading.length(mix.length)), \(Reading.fixed(mix.loudness, 1)) LUFS, "
        + "peak \(Reading.fixed(mix.peak, 1)) dBFS",
    ]
    if mix.zero > .zero {
      lines.append("  The take's zero lies at \(Reading.fixed(mix.zero.seconds * 1_000, 3)) ms of the file.")
    }
    guard choice.perspective != .asPlayed else { return lines.joined(separator: "\n") }
    var table = TextTable([
      .number("track"), .text("musician"), .number("moved by ms"), .number("samples"), .number("usual range ms"),
      .number("network ms"), .number("playout ms"), .number("reports"),
    ])
    for shift in mix.shifts {
      let name = manifest.tracks.first { $0.number == shift.track }?.participant.name.description ?? "-"
      let moved = Double(shift.samples) * 1_000 / Double(SamplePosition.rate)
      guard let delay = shift.delay else {
        table.add(["\(shift.track)", name, "0", "0", "-", "-", "-", "-"])
        continue
      }
      table.add([
        "\(shift.track)", name, (moved > 0 ? "+" : "") + Reading.fixed(moved, 2), "\(shift.samples)",
        "\(Reading.fixed(delay.low.milliseconds, 1))..\(Reading.fixed(delay.high.milliseconds, 1))",
        Reading.fixed((delay.median - delay.playout.median).milliseconds, 1),
        Reading.fixed(delay.playout.median.milliseconds, 1), "\(delay.playout.count)",
      ])
    }
    return lines.joined(separator: "\n") + "\n\n" + table.text
  }
}
