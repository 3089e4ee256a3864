import ArgumentParser
import Recording

/// Which version of the tracks is exported.
struct SourceOptions: ParsableArguments {
  @Option(
    name: .long,
    help: "take, or lossless for what musicians' own machines kept, where they did (docs/backup.md). (default: take)")
  var source: TrackSource?

  var isLossless: Bool { source == .lossless }
}

extension TrackSource: ExpressibleByArgument {}
