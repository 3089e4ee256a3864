import ArgumentParser

/// The perspective by which the tracks are aligned.
struct PerspectiveOptions: ParsableArguments {
  @Option(name: .long, help: "as-played, or NAME for what that musician heard. (default: as-played)")
  var perspective: String?
  @Option(name: .long, help: "NAME of the musician the others followed: aligns what was played together.")
  var follow: String?

  func validate() throws {
    if perspective != nil, follow != nil {
      throw ValidationError("--perspective and --follow exclude each other; give one of them")
    }
  }
}
