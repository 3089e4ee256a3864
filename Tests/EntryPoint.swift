import Testing

// What the tests' program begins with in CI (.ci/run). SwiftPM's own also runs tests of XCTest, of which there are none
// here, and finds them by an index of all sources, which takes a tenth of the time of compiling.

@main enum EntryPoint {
  static func main() async {
    await Testing.__swiftPMEntryPoint() as Never
  }
}
