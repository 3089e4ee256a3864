/// When a fake microphone really played its file.
///
/// Chromium's fake device plays a block every 10 ms, and when it comes too late it leaves a beat out and goes on: its
/// music stands still for 10 ms of real time, which no ear hears and no packet tells of. So a take can be held against
/// the file's origin only until the first beat is left out.
struct Witnessed: Sendable {
  /// One block of 10 ms.
  struct Block: Sendable {
    /// When it was delivered, in seconds of civil time.
    var time: Double
    /// When, by this block, the file's first sample was played (and 10 ms, a block's length).
    var origin: Double
  }

  /// A time in which no beat was left out.
  struct Line: Sendable {
    /// When the file's first sample was played, as it seems from there, in seconds of civil time.
    var origin: Double
    var begin: Double
    var end: Double
  }

  var blocks: [Block]

  /// How far a block of a steady device lies from the line: the clock's grain is 0.1 ms.
  private static let tolerance = 0.002

  /// The line that holds from `time` on, or from the first block after it.
  func line(from time: Double) -> Line? {
    let rest = blocks.drop { $0.time < time }
    guard let first = rest.first else { return nil }
    let steady = rest.prefix { abs($0.origin - first.origin) < Witnessed.tolerance }
    let origins = steady.map(\.origin).sorted()
    return Line(origin: origins[origins.count / 2], begin: first.time, end: steady.last?.time ?? first.time)
  }
}
