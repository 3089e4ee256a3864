import ArgumentParser
import Recording

/// The version of the tracks to export.
struct SourceOptions: ParsableArguments {
  @Option(
    name: .long,
    help: "take, or lossless for the musicians' own local recordings, if any (docs/backup.md). (default: take)",
    completion: .list(TrackSource.allCases.map(\.rawValue)))
  var source: TrackSource?
  @Flag(
    name: .customLong("with-backing"),
    help: "Mix in the backing tracks that the room heard. Without this, they are in no file.")
  var withBacking = false

  var isLossless: Bool { source == .lossless }
}

extension TrackSource: ExpressibleByArgument {}
