import ArgumentParser
import Recording

/// The version of the tracks to export.
struct SourceOptions: ParsableArguments {
  @Option(
    name: .long,
    help: "take, or lossless for the musicians' own local recordings, if any (docs/backup.md). (default: take)")
  var source: TrackSource?

  var isLossless: Bool { source == .lossless }
}

extension TrackSource: ExpressibleByArgument {}
