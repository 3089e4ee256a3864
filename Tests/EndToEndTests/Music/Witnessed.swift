/// When a fake microphone really played its file.
///
/// Chromium's fake device plays a block every 10 ms, and when it comes too late it leaves a beat out and goes on: its
/// music stands still for 10 ms of real time, which no ear hears and no packet tells of. So the file's origin is known
/// exactly only until the first beat is left out.
struct Witnessed: Sendable {
  /// One block of 10 ms.
  struct Block: Sendable {
    /// When it was delivered, in seconds of civil time.
    var time: Double
    /// When, by this block, the file's first sample was played.
    var origin: Double
  }

  /// When the file's first sample was played (and 10 ms, a block's length), in seconds of civil time.
  let origin: Double
  /// The first block.
  let begin: Double
  /// The last block before a beat was left out, or at all.
  let steadyEnd: Double

  /// Blocks of the first half second; their median is the origin.
  private static let reference = 50
  /// How far a block of a steady device lies from the line: the clock's grain is 0.1 ms.
  private static let tolerance = 0.002

  init?(_ blocks: [Block]) {
    guard blocks.count >= Witnessed.reference, let first = blocks.first else { return nil }
    let origins = blocks.prefix(Witnessed.reference).map(\.origin).sorted()
    let origin = origins[origins.count / 2]
    self.origin = origin
    begin = first.time
    steadyEnd = blocks.prefix { abs($0.origin - origin) < Witnessed.tolerance }.last?.time ?? first.time
  }
}
