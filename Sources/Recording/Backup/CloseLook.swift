/// Looks block by block whether a backup fits where the delays say, and finds the delay where it does not.
///
/// Delays are measured in windows of more than a second, which see neither a loss within the first or last second nor one
/// of two that follow each other closely: there they would put sound where it does not belong, and not know.
struct CloseLook {
  /// Samples of a block: 85 ms.
  static let block = 4_096
  /// Blocks that are looked at together at most.
  private static let most = 7
  /// Blocks in which a delay that was found is measured at most.
  private static let longest = 16
  /// Searches at most, of some hundredths of a second each: what is damaged all over has no delay to be found.
  private static let patience = 500
  /// A block fits of whose power no more is left than this and twice what is usual, when the other is taken away.
  private static let leastMisfit = (level: 0.05, usual: 2.0)
  /// Another delay must leave no more than this, and this part of what the one before leaves: a note fits a little
  /// wherever it sounds.
  private static let sure = (level: 0.01, usual: 4.0, gain: 0.5)
  /// Where no more than this is left near the delay of before, it is that delay still, and the codec that turned phases.
  private static let near = (level: 0.05, usual: 4.0)
  /// Where the codec itself leaves more than this, other notes fit as well as the right one: nothing is mended.
  private static let greatestUsual = 0.01
  /// Delays that differ by less are one, in samples: what is lost is lost by blocks.
  private static let separation = 16
  private static let leastAgreement = 0.5

  /// A run of the backup without a loss, and where that is seen.
  struct Section: Hashable, Sendable {
    var curve: DelayCurve
    /// First samples of the blocks that fit, by place; one at least.
    var fitting: [Int64]
  }

  private let windows: AlignmentWindows
  private let search = LevelledSearch()
  private let meter = DelayMeter()
  private let count: Int
  /// The slope of what is found, in samples a sample.
  private let slope: Double
  private var curves: [DelayCurve]
  /// For each block the curve by which it fits, and how badly the curve fits that was expected there.
  private var fitting: [Int?]
  private var misfits: [Double?]
  /// What is left of a block that fits; a quarter of the blocks does, or all would have been refused.
  private var usual = 0.0
  private var limit: Double { CloseLook.leastMisfit.level + CloseLook.leastMisfit.usual * usual }
  private var searches = 0

  /// - Parameters:
  ///   - curves: by time, with knots where they were measured; one at least.
  ///   - slope: the change of the delay a sample, of all of the backup.
  init(_ windows: AlignmentWindows, curves: [DelayCurve], slope: Double) {
    (self.windows, self.curves, self.slope) = (windows, curves, slope)
    count = Int(clamping: windows.take.frameCount / Int64(CloseLook.block))
    fitting = Array(repeating: nil, count: count)
    misfits = Array(repeating: nil, count: count)
  }

  /// The runs by place; none where there is nothing that fits.
  mutating func sections(_ proceed: () throws -> Void) throws -> [Section] {
    try compare(proceed)
    if usual <= CloseLook.greatestUsual { try mend(proceed) }
    var sections: [Section] = []
    var former: Int?
    for (block, curve) in fitting.enumerated() {
      guard let curve else { continue }
      let place = Int64(block * CloseLook.block)
      if curve == former {
        sections[sections.count - 1].fitting.append(place)
      } else {
        sections.append(Section(curve: curves[curve], fitting: [place]))
      }
      former = curve
    }
    return sections
  }

  // MARK: What fits

  private mutating func compare(_ proceed: () throws -> Void) throws {
    var expected = Array(repeating: 0, count: count)
    var first = 0
    for (index, curve) in curves.enumerated() {
      // Up to the last place where it was measured; from there on the next may be the one.
      let last = index + 1 < curves.count ? min(count, block(of: curve.last) + 1) : count
      for block in first..<max(first, last) {
        try proceed()
        (expected[block], misfits[block]) = (index, try misfit(blocks: block..<(block + 1), curve))
      }
      first = max(first, last)
      guard index + 1 < curves.count else { break }
      let next = max(first, min(count, block(of: curves[index + 1].first)))
      try part(first..<next, between: index, &expected, proceed)
      first = next
    }
    let sorted = misfits.compactMap { $0 }.sorted()
    usual = sorted.isEmpty ? 0 : sorted[sorted.count / 4]
    for block in 0..<count {
      if let misfit = misfits[block], misfit < limit { fitting[block] = expected[block] }
    }
  }

  /// Gives the blocks between two curves to the one or the other, where least is left over.
  private mutating func part(
    _ blocks: Range<Int>, between curve: Int, _ expected: inout [Int], _ proceed: () throws -> Void
  ) throws {
    var (before, after): ([Double?], [Double?]) = ([], [])
    var sums = [0.0]
    for block in blocks {
      try proceed()
      before.append(try misfit(blocks: block..<(block + 1), curves[curve]))
      after.append(try misfit(blocks: block..<(block + 1), curves[curve + 1]))
      let difference = (before[before.count - 1] ?? 0) - (after[after.count - 1] ?? 0)
      sums.append(sums[sums.count - 1] + difference)
    }
    let split = sums.indices.min { sums[$0] < sums[$1] } ?? 0
    for (index, block) in blocks.enumerated() {
      expected[block] = index < split ? curve : curve + 1
      misfits[block] = index < split ? before[index] : after[index]
    }
  }

  private func block(of time: Double) -> Int { max(0, Int(time) / CloseLook.block) }

  /// The part of the take's power that is left when the backup at its best level is taken away; nil where one of them is
  /// silent.
  private func misfit(blocks: Range<Int>, _ curve: DelayCurve) throws -> Double? {
    let start = Int64(blocks.lowerBound * CloseLook.block)
    let sound = try windows.take(from: start, count: blocks.count * CloseLook.block)
    guard AlignmentWindows.level(sound) > BackupAligner.silence else { return nil }
    let other = try windows.backup(from: start, count: sound.count, along: curve)
    guard AlignmentWindows.level(other) > BackupAligner.silence else { return nil }
    var (xy, xx, yy) = (0.0, 0.0, 0.0)
    for (x, y) in zip(sound, other) {
      xy += Double(x) * Double(y)
      xx += Double(x) * Double(x)
      yy += Double(y) * Double(y)
    }
    return xy > 0 ? max(0, 1 - xy * xy / (xx * yy)) : 1
  }

  // MARK: What does not

  private mutating func mend(_ proceed: () throws -> Void) throws {
    var block = 0
    while block < count {
      guard isOpen(block) else {
        block += 1
        continue
      }
      var end = block + 1
      while end < count, end - block < CloseLook.most, fitting[end] == nil { end += 1 }
      try mend(block..<end, proceed)
      block = end
    }
  }

  /// True where both have sound and do not fit.
  private func isOpen(_ block: Int) -> Bool { fitting[block] == nil && misfits[block] != nil }

  /// Finds the delay of what is open of `blocks`, or of its halves.
  private mutating func mend(_ blocks: Range<Int>, _ proceed: () throws -> Void) throws {
    guard let first = blocks.first(where: isOpen), let last = blocks.last(where: isOpen) else { return }
    let blocks = first..<(last + 1)
    guard isEnough(blocks), searches < CloseLook.patience else { return }
    try proceed()
    let near = fitting[..<first].last { $0 != nil } ?? fitting[(last + 1)...].first { $0 != nil }
    guard let near = near ?? nil else { return }
    switch try course(in: blocks, near: curves[near]) {
    case .found(let course):
      guard try adopt(course) else { return }
      try mend(blocks, proceed)
    case .asBefore: return
    case .none:
      guard blocks.count > 1 else { return }
      let middle = first + blocks.count / 2
      try mend(first..<middle, proceed)
      try mend(middle..<(last + 1), proceed)
    }
  }

  /// One block alone may be any note that lasts, or where one run ends and the next begins; but the take's own beginning
  /// and end have no more.
  private func isEnough(_ blocks: Range<Int>) -> Bool {
    blocks.count > 1 || blocks.count == 1 && (blocks.lowerBound == 0 || blocks.upperBound == count)
  }

  /// Gives a delay to all blocks that fit by it; false where there are none.
  private mutating func adopt(_ found: Course) throws -> Bool {
    let time = Double((found.blocks.lowerBound + found.blocks.upperBound) * CloseLook.block) / 2
    let known = curves.firstIndex {
      abs($0.delay(at: time) - found.curve.delay(at: time)) < Double(CloseLook.separation)
    }
    let curve = known ?? curves.count
    if known == nil { curves.append(found.curve) }
    var settled: [Int] = []
    for block in found.blocks where try settle(block, curve) { settled.append(block) }
    for block in found.blocks.upperBound..<count {
      guard try settle(block, curve) else { break }
      settled.append(block)
    }
    for block in (0..<found.blocks.lowerBound).reversed() {
      guard try settle(block, curve) else { break }
      settled.append(block)
    }
    guard let begin = settled.min(), let end = settled.max() else { return false }
    if known == nil, let finer = try finer(found.curve, begin..<min(end + 1, begin + CloseLook.longest)) {
      curves[curve] = finer
    }
    return true
  }

  /// Gives a block that does not fit to `curve` if it fits by that; false where it does not.
  private mutating func settle(_ block: Int, _ curve: Int) throws -> Bool {
    guard isOpen(block) else { return false }
    guard let misfit = try misfit(blocks: block..<(block + 1), curves[curve]), misfit < limit else { return false }
    fitting[block] = curve
    return true
  }

  /// A delay and the blocks that fit by it, one after the other.
  private struct Course {
    var curve: DelayCurve
    var blocks: Range<Int>
    var misfit: Double
  }

  private enum Outcome {
    case found(Course)
    /// The delay is what it was, but the sound is not.
    case asBefore
    case none
  }

  /// The delay by which most of `blocks` fit.
  private mutating func course(in blocks: Range<Int>, near curve: DelayCurve) throws -> Outcome {
    searches += 1
    let start = Int64(blocks.lowerBound * CloseLook.block)
    let length = blocks.count * CloseLook.block
    let middle = Double(start) + Double(length) / 2
    let straight = DelayCurve(at: middle, delay: curve.delay(at: middle), slope: slope)
    let other = try windows.backup(
      from: start - Int64((LevelledSearch.window - length) / 2), count: LevelledSearch.window, along: straight)
    let fits = search.fits(
      try windows.take(from: start, count: length), other, near: CloseLook.separation)
    let left = 1 - fits.near * abs(fits.near)
    if left < CloseLook.near.level + CloseLook.near.usual * usual { return .asBefore }
    var best: Course?
    for node in fits.nodes {
      let found = DelayCurve(at: middle, delay: straight.delay(at: middle) + node.delay, slope: slope)
      let (run, misfit) = try fit(blocks, found)
      guard isEnough(run), (run.count, -misfit) > (best?.blocks.count ?? 0, -(best?.misfit ?? .infinity)) else {
        continue
      }
      best = Course(curve: found, blocks: run, misfit: misfit)
    }
    guard let best else { return .none }
    // Once more without the others about them, which drew the delay to themselves.
    if best.blocks != blocks, case .found(let course) = try course(in: best.blocks, near: curve) {
      return .found(course)
    }
    return .found(best)
  }

  /// The longest run of blocks that fit by `curve` and much better than before, and what is left of it on the average.
  private func fit(_ blocks: Range<Int>, _ curve: DelayCurve) throws -> (run: Range<Int>, misfit: Double) {
    let sure = CloseLook.sure.level + CloseLook.sure.usual * usual
    var (best, bestSum) = (blocks.lowerBound..<blocks.lowerBound, 0.0)
    var (first, sum) = (blocks.lowerBound, 0.0)
    for block in blocks {
      guard isOpen(block), let misfit = try misfit(blocks: block..<(block + 1), curve),
        misfit < min(sure, (misfits[block] ?? 1) * CloseLook.sure.gain)
      else {
        (first, sum) = (block + 1, 0)
        continue
      }
      sum += misfit
      if block + 1 - first > best.count { (best, bestSum) = (first..<(block + 1), sum) }
    }
    return (best, best.isEmpty ? .infinity : bestSum / Double(best.count))
  }

  /// The same to a fraction of a sample.
  private func finer(_ curve: DelayCurve, _ blocks: Range<Int>) throws -> DelayCurve? {
    let start = Int64(blocks.lowerBound * CloseLook.block)
    let length = blocks.count * CloseLook.block
    let sound = try windows.take(from: start, count: length)
    guard let reading = meter.measure(sound, try windows.backup(from: start, count: length, along: curve)),
      reading.agreement >= CloseLook.leastAgreement, abs(reading.delay) < 1
    else { return nil }
    let middle = Double(start) + Double(length) / 2
    return DelayCurve(at: middle, delay: curve.delay(at: middle) + reading.delay, slope: slope)
  }
}
