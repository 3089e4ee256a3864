import ArgumentParser

/// In whose time the tracks lie beside one another.
struct PerspectiveOptions: ParsableArguments {
  @Option(name: .long, help: "as-played, or the NAME of the musician whose headphones it is. (default: as-played)")
  var perspective: String?
  @Option(name: .long, help: "NAME of the musician whom the others followed: lays together what they played together.")
  var follow: String?

  func validate() throws {
    if perspective != nil, follow != nil {
      throw ValidationError("--perspective and --follow exclude each other; give one of them")
    }
  }
}
