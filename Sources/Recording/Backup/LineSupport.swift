import Machines

/// Decides how far a line is borne out by the sound: a backup is never placed by a line alone.
///
/// Between the first and the last place where its delay was measured and a block fits, a line is certain, also where the
/// network left nothing to compare. Beyond them it is an assumption, which samples lost unnoticed make false: such a copy
/// once lay 30 ms early for six seconds behind its last reading. There every block of 85 ms has to show by itself that it
/// fits; from the first that does not, the network's sound stays.
struct LineSupport {
  /// A block is the same sound from this part of the correlation that the run has where its line was measured. Of one
  /// channel and a track of two, that is 0.7 where codecs leave 0.99.
  private static let part = 0.9
  /// Lowest correlation of a run where its line was measured.
  private static let least = 0.5
  /// Samples of a block.
  private static let block = BlockFit.length
  /// Samples beyond a line's readings for which what it may be off by there, a quarter of a millisecond where a track bends
  /// (`LineFit.bend`), is in no bound; what more it may be off by is.
  private static let free: Int64 = 60_000
  /// Samples of a place of the run itself, and maximum number of them.
  private static let place = (length: 24_000, count: 64)

  let windows: AlignmentWindows

  /// The part of a range of the take in which the run's line holds; nil if it does not hold even where it was measured.
  ///
  /// - Parameter fitting: the first samples of blocks that fit, for a run that no window could measure.
  func part(
    of curve: DelayCurve, in range: Range<Int64>, fitting: [Int64], _ proceed: () throws -> Void
  ) throws -> Range<Int64>? {
    var core = Int64(saturating: curve.first.rounded(.up))..<Int64(saturating: curve.last.rounded(.up))
    core = core.clamped(to: range)
    if core.count < LineSupport.block, let first = fitting.first, let last = fitting.last {
      core = (first..<max(first, last + Int64(LineSupport.block))).clamped(to: range)
    }
    guard !core.isEmpty, let limit = try limit(of: core, curve, proceed) else { return nil }
    core = try heldPart(of: core, curve, from: limit, proceed)
    guard !core.isEmpty else { return nil }
    var (start, end) = (core.lowerBound, core.upperBound)
    while end < range.upperBound {
      try proceed()
      let next = min(range.upperBound, end + Int64(LineSupport.block))
      guard try fits(next - Int64(LineSupport.block), curve, from: limit) else { break }
      end = next
    }
    while start > range.lowerBound {
      try proceed()
      let next = max(range.lowerBound, start - Int64(LineSupport.block))
      guard try fits(next, curve, from: limit) else { break }
      start = next
    }
    return start..<end
  }

  /// How far the sound of a part may lie beside its place since the line goes on beyond its readings, in samples.
  /// Blocks that fit do not show it: a few low notes fit a little beside their place, too.
  func doubt(about part: Range<Int64>, along curve: DelayCurve, _ proceed: () throws -> Void) throws -> Double {
    let block = Int64(LineSupport.block)
    let near = (
      Int64(saturating: curve.first) - LineSupport.free, Int64(saturating: curve.last) + LineSupport.free
    )
    var (start, end) = (part.lowerBound, part.upperBound)
    // Silence has no place that could be wrong.
    while start < near.0, try isSilent(start, curve) {
      try proceed()
      start += block
    }
    while end > near.1, try isSilent(end - block, curve) {
      try proceed()
      end -= block
    }
    return Double(max(0, near.0 - start, end - near.1)) * LineFit.bend.slope
  }

  /// A range without the blocks at its ends that do not fit: the window of a reading reaches over a loss beside it.
  private func heldPart(
    of range: Range<Int64>, _ curve: DelayCurve, from limit: Double, _ proceed: () throws -> Void
  ) throws -> Range<Int64> {
    let block = Int64(LineSupport.block)
    var (start, end) = (range.lowerBound, range.upperBound)
    while end - start >= block, try !fits(end - block, curve, from: limit) {
      try proceed()
      end -= block
    }
    while end - start >= block, try !fits(start, curve, from: limit) {
      try proceed()
      start += block
    }
    return start..<end
  }

  /// The correlation from which a block belongs to the run; nil if most of its places stay below it. Gaps of the
  /// network are few, a wrong line is wrong everywhere.
  private func limit(of range: Range<Int64>, _ curve: DelayCurve, _ proceed: () throws -> Void) throws -> Double? {
    let length = min(LineSupport.place.length, range.count)
    let step = max(length, range.count / LineSupport.place.count)
    var places: [Double] = []
    for start in stride(from: range.lowerBound, through: range.upperBound - Int64(length), by: step) {
      try proceed()
      if let coefficient = try correlation(start, length, curve) { places.append(coefficient) }
    }
    places.sort()
    // The upper quartile: a gap lowers the correlation of its place, nothing raises it.
    guard !places.isEmpty, places[places.count * 3 / 4] >= LineSupport.least else { return nil }
    let limit = places[places.count * 3 / 4] * LineSupport.part
    return places[places.count / 2] >= limit ? limit : nil
  }

  /// True if the block from `start` is the same sound; silence on both sides is.
  private func fits(_ start: Int64, _ curve: DelayCurve, from limit: Double) throws -> Bool {
    if let coefficient = try correlation(start, LineSupport.block, curve) { return coefficient >= limit }
    return try isSilent(start, curve)
  }

  /// True if neither has sound in the block from `start`.
  private func isSilent(_ start: Int64, _ curve: DelayCurve) throws -> Bool {
    let sound = try windows.take(from: start, count: LineSupport.block)
    let copy = try windows.backup(from: start, count: LineSupport.block, along: curve)
    return max(AlignmentWindows.level(sound), AlignmentWindows.level(copy)) <= BackupAligner.silence
  }

  /// The correlation coefficient from `start` on, or nil if either is silent there.
  private func correlation(_ start: Int64, _ length: Int, _ curve: DelayCurve) throws -> Double? {
    let sound = try windows.take(from: start, count: length)
    guard AlignmentWindows.level(sound) > BackupAligner.silence else { return nil }
    let copy = try windows.backup(from: start, count: length, along: curve)
    guard AlignmentWindows.level(copy) > BackupAligner.silence else { return nil }
    var likeness = Likeness()
    likeness.add(sound, copy)
    return likeness.coefficient
  }
}
