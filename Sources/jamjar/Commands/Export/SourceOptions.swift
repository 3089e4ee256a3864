import ArgumentParser

/// Which version of the tracks is exported.
struct SourceOptions: ParsableArguments {
  /// The versions that there are.
  enum Source: String, CaseIterable, ExpressibleByArgument {
    case take, lossless
  }

  @Option(
    name: .long,
    help: "take, or lossless for what musicians' own machines kept, where they did (docs/backup.md). (default: take)")
  var source: Source?

  var isLossless: Bool { source == .lossless }
}
