import Glibc

/// Finds where a backup lost or repeated samples: where one run stops fitting and the next begins.
struct BreakSearch {
  /// Samples per bin.
  private static let bin = 32
  /// Maximum number of bins; they are longer if there was a long silence.
  private static let limit = 200_000
  /// Samples read at a time.
  private static let block = 48_000
  /// Blocks used to measure the common level.
  private static let tastes = 64

  private let windows: AlignmentWindows

  init(_ windows: AlignmentWindows) {
    self.windows = windows
  }

  /// The end of the stretch before the break and the beginning of the one after, in samples of the take.
  func locate(
    from section: CloseLook.Section, to next: CloseLook.Section, _ proceed: () throws -> Void
  ) throws -> (end: Int64, begin: Int64) {
    let (gain, noise) = try common(section)
    // The loss itself may lie in the last or first block that seems to fit.
    let first = section.fitting[section.fitting.count - 1]
    let last = next.fitting[0] + Int64(BlockFit.length)
    let length = Int(last - first)
    let bin = max(BreakSearch.bin, length / BreakSearch.limit)
    let bins = max(1, length / bin)
    // Running sums over the bins: the misfit of each run relative to silence, and the difference between the runs.
    var (own, theirs, between) = ([0.0], [0.0], [0.0])
    let perBlock = max(1, BreakSearch.block / bin)
    for start in stride(from: 0, to: bins, by: perBlock) {
      try proceed()
      let count = min(perBlock, bins - start) * bin
      let place = first + Int64(start * bin)
      let sound = try windows.take(from: place, count: count)
      let before = try windows.backup(from: place, count: count, along: section.curve)
      let after = try windows.backup(from: place, count: count, along: next.curve)
      for index in stride(from: 0, to: count, by: bin) {
        var (a, b, power) = (0.0, 0.0, 0.0)
        for sample in index..<(index + bin) {
          let x = Double(sound[sample])
          let (p, q) = (x - gain * Double(before[sample]), x - gain * Double(after[sample]))
          (a, b, power) = (a + p * p, b + q * q, power + x * x)
        }
        own.append(own[own.count - 1] + a - noise * power)
        theirs.append(theirs[theirs.count - 1] + b - noise * power)
        between.append(between[between.count - 1] + a - b)
      }
    }
    func place(_ index: Double) -> Int64 { first + Int64(index * Double(bin)) }
    let lost = section.curve.delay(at: Double(last)) - next.curve.delay(at: Double(last))
    var end = Double(own.indices.min { own[$0] < own[$1] } ?? 0)
    var begin = Double(theirs.indices.max { theirs[$0] < theirs[$1] } ?? 0)
    let least = max(0, lost) / Double(bin)
    if begin < end {
      // Both fit for a while: the music repeats itself, or there is silence.
      let middle = Double(between.indices.min { between[$0] < between[$1] } ?? 0)
      (end, begin) = (middle, middle)
    }
    if begin - end < least {
      let middle = (begin + end) / 2
      (end, begin) = (middle - least / 2, middle + least / 2)
    }
    return (place(end), place(begin))
  }

  /// The take's level relative to the backup's, and the largest relative power of the difference in a run that fits.
  private func common(_ section: CloseLook.Section) throws -> (gain: Double, noise: Double) {
    var likeness = Likeness()
    for start in section.fitting.suffix(BreakSearch.tastes) {
      let left = try windows.take(from: start, count: BlockFit.length)
      let right = try windows.backup(from: start, count: BlockFit.length, along: section.curve)
      likeness.add(left, right)
    }
    if likeness.isEmpty { return (1, 0.75) }
    return (likeness.gain, 1 - likeness.coefficient * likeness.coefficient / 2)
  }
}
