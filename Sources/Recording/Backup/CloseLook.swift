/// Looks block by block whether a backup fits where the delays say, and finds the delay where it does not.
///
/// Delays are measured in windows of more than a second, which see neither a loss within the first or last second nor one
/// of two that follow each other closely: there they would put sound where it does not belong, and not know.
struct CloseLook {
  /// Blocks in which a delay that was found is measured at most.
  private static let longest = 16
  /// Searches at most, of some hundredths of a second each: what is damaged all over has no delay to be found.
  private static let patience = 500
  /// A block fits of whose power no more is left than this and twice what is usual, when the other is taken away.
  private static let leastMisfit = (level: 0.05, usual: 2.0)
  /// Where the codec itself leaves more than this, other notes fit as well as the right one: nothing is mended.
  private static let greatestUsual = 0.01

  /// A run of the backup without a loss, and where that is seen.
  struct Section: Hashable, Sendable {
    var curve: DelayCurve
    /// First samples of the blocks that fit, by place; one at least.
    var fitting: [Int64]
  }

  private let fit: BlockFit
  private let search: BlockSearch
  private var curves: [DelayCurve]
  /// For each block the curve by which it fits.
  private var fitting: [Int?]
  /// How badly the curve fits that was expected there; once compared, nil where one does fit. Nil where there is silence.
  private var misfits: [Double?]
  /// What is left of a block that fits; a quarter of the blocks does, or all would have been refused.
  private var usual = 0.0
  private var count: Int { fit.count }
  private var limit: Double { CloseLook.leastMisfit.level + CloseLook.leastMisfit.usual * usual }
  private var searches = 0

  /// - Parameters:
  ///   - curves: by time, with knots where they were measured; one at least.
  ///   - slope: the change of the delay a sample, of all of the backup.
  init(_ windows: AlignmentWindows, curves: [DelayCurve], slope: Double) {
    self.curves = curves
    fit = BlockFit(windows: windows)
    search = BlockSearch(fit, slope: slope)
    fitting = Array(repeating: nil, count: fit.count)
    misfits = Array(repeating: nil, count: fit.count)
  }

  /// The runs by place; none where there is nothing that fits.
  mutating func sections(_ proceed: () throws -> Void) throws -> [Section] {
    try compare(proceed)
    if usual <= CloseLook.greatestUsual { try mend(proceed) }
    var sections: [Section] = []
    var former: Int?
    for (block, curve) in fitting.enumerated() {
      guard let curve else { continue }
      let place = BlockFit.place(block)
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
    var expected = Array(repeating: 0, count: fit.count)
    var first = 0
    for (index, curve) in curves.enumerated() {
      // Up to the last place where it was measured; from there on the next may be the one.
      let last = index + 1 < curves.count ? min(count, block(of: curve.last) + 1) : count
      for block in first..<max(first, last) {
        try proceed()
        (expected[block], misfits[block]) = (index, try fit.misfit(block, curve))
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
      if let misfit = misfits[block], misfit < limit { (fitting[block], misfits[block]) = (expected[block], nil) }
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
      before.append(try fit.misfit(block, curves[curve]))
      after.append(try fit.misfit(block, curves[curve + 1]))
      let difference = (before[before.count - 1] ?? 0) - (after[after.count - 1] ?? 0)
      sums.append(sums[sums.count - 1] + difference)
    }
    let split = sums.indices.min { sums[$0] < sums[$1] } ?? 0
    for (index, block) in blocks.enumerated() {
      expected[block] = index < split ? curve : curve + 1
      misfits[block] = index < split ? before[index] : after[index]
    }
  }

  private func block(of time: Double) -> Int { max(0, Int(time) / BlockFit.length) }

  // MARK: What does not

  private mutating func mend(_ proceed: () throws -> Void) throws {
    var block = 0
    while block < count {
      guard isOpen(block) else {
        block += 1
        continue
      }
      var end = block + 1
      while end < count, end - block < BlockSearch.most, fitting[end] == nil { end += 1 }
      try mend(block..<end, proceed)
      block = end
    }
  }

  /// True where both have sound and do not fit.
  private func isOpen(_ block: Int) -> Bool { misfits[block] != nil }

  /// Finds the delay of what is open of `blocks`, or of its halves.
  private mutating func mend(_ blocks: Range<Int>, _ proceed: () throws -> Void) throws {
    guard let first = blocks.first(where: isOpen), let last = blocks.last(where: isOpen) else { return }
    let blocks = first..<(last + 1)
    guard search.isEnough(blocks), searches < CloseLook.patience else { return }
    try proceed()
    searches += 1
    let near = fitting[..<first].last { $0 != nil } ?? fitting[(last + 1)...].first { $0 != nil }
    guard let near = near ?? nil else { return }
    switch try search.course(in: blocks, near: curves[near], before: misfits, usual: usual) {
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

  /// Gives a delay to all blocks that fit by it; false where there are none.
  private mutating func adopt(_ found: BlockSearch.Course) throws -> Bool {
    let time = Double(BlockFit.place(found.blocks.lowerBound) + BlockFit.place(found.blocks.upperBound)) / 2
    let known = curves.firstIndex {
      abs($0.delay(at: time) - found.curve.delay(at: time)) < Double(BlockSearch.separation)
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
    if known == nil, let finer = try search.finer(found.curve, begin..<min(end + 1, begin + CloseLook.longest)) {
      curves[curve] = finer
    }
    return true
  }

  /// Gives a block that does not fit to `curve` if it fits by that; false where it does not.
  private mutating func settle(_ block: Int, _ curve: Int) throws -> Bool {
    guard isOpen(block) else { return false }
    guard let misfit = try fit.misfit(block, curves[curve]), misfit < limit else { return false }
    (fitting[block], misfits[block]) = (curve, nil)
    return true
  }
}
