/// Checks block by block whether a backup fits at the delays found, and searches for the delay where it does not.
///
/// Delays are measured in windows longer than a second. These miss a loss within the first or last second, and one of
/// two losses in quick succession, so sound would silently be placed wrongly there.
struct CloseLook {
  /// Maximum number of blocks used to measure a delay that was found.
  private static let longest = 16
  /// Maximum number of searches, each of some hundredths of a second: sound that is damaged throughout has no delay
  /// to find.
  private static let patience = 500
  /// A block fits if, after subtraction, at most `level` of its power plus twice the usual rest is left.
  private static let leastMisfit = (level: 0.05, usual: 2.0)
  /// If the codec alone leaves more than this, wrong notes fit as well as the right one, and nothing is repaired.
  private static let greatestUsual = 0.01

  /// A run of the backup without a loss, and the evidence for it.
  struct Section: Hashable, Sendable {
    var curve: DelayCurve
    /// First samples of the blocks that fit, sorted by position; at least one.
    var fitting: [Int64]
  }

  private let fit: BlockFit
  private let search: BlockSearch
  private var curves: [DelayCurve]
  /// The curve that each block fits.
  private var fitting: [Int?]
  /// Misfit of each block at the expected curve; nil if it fits or is silent.
  private var misfits: [Double?]
  /// What is left of a block that fits. At least a quarter of the blocks fit, or the backup would have been refused.
  private var usual = 0.0
  private var count: Int { fit.count }
  private var limit: Double { CloseLook.leastMisfit.level + CloseLook.leastMisfit.usual * usual }
  private var searches = 0

  /// - Parameters:
  ///   - curves: sorted by time, with knots at the measured places; at least one.
  ///   - slope: change of the delay per sample over the whole backup.
  init(_ windows: AlignmentWindows, curves: [DelayCurve], slope: Double) {
    self.curves = curves
    fit = BlockFit(windows: windows)
    search = BlockSearch(fit, slope: slope)
    fitting = Array(repeating: nil, count: fit.count)
    misfits = Array(repeating: nil, count: fit.count)
  }

  /// The runs sorted by position; empty if nothing fits.
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
    return CloseLook.plausible(sections)
  }

  /// The runs without short ones at a delay that is not between those of their neighbours.
  private static func plausible(_ sections: [Section]) -> [Section] {
    var kept = sections
    var index = 1
    while index + 1 < kept.count {
      let (before, section, behind) = (kept[index - 1], kept[index], kept[index + 1])
      let count = section.fitting.count
      guard count < before.fitting.count, count < behind.fitting.count, let place = section.fitting.first,
        !isBetween(section.curve, before.curve, behind.curve, at: Double(place))
      else {
        index += 1
        continue
      }
      kept.remove(at: index)
      if before.curve == behind.curve {
        kept[index - 1].fitting += behind.fitting
        kept.remove(at: index)
      }
      index = max(1, index - 1)
    }
    return kept
  }

  /// What a capture loses it does not get back: the delay of some blocks lies between that before them and that behind
  /// them. Any other is another period of their note.
  private static func isBetween(_ curve: DelayCurve, _ one: DelayCurve, _ other: DelayCurve, at time: Double) -> Bool {
    let (delay, ends) = (curve.delay(at: time), [one.delay(at: time), other.delay(at: time)].sorted())
    let margin = Double(BlockSearch.separation)
    return ends[0] - margin < delay && delay < ends[1] + margin
  }

  // MARK: What fits

  private mutating func compare(_ proceed: () throws -> Void) throws {
    var expected = Array(repeating: 0, count: fit.count)
    var first = 0
    for (index, curve) in curves.enumerated() {
      // Up to the last place where it was measured; beyond it, the next curve may apply.
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

  /// Divides the blocks between two curves so that the total misfit is smallest.
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

  /// True if both have sound and do not fit.
  private func isOpen(_ block: Int) -> Bool { misfits[block] != nil }

  /// Finds the delay of the open blocks among `blocks`, or among each half of them.
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
    case .asBefore, .ambiguous: return
    case .none:
      guard blocks.count > 1 else { return }
      let middle = first + blocks.count / 2
      try mend(first..<middle, proceed)
      try mend(middle..<(last + 1), proceed)
    }
  }

  /// Assigns a delay to all blocks that fit it; false if there are none.
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

  /// Assigns an open block to `curve` if it fits; false if it does not.
  private mutating func settle(_ block: Int, _ curve: Int) throws -> Bool {
    guard isOpen(block) else { return false }
    guard let misfit = try fit.misfit(block, curves[curve]), misfit < limit else { return false }
    (fitting[block], misfits[block]) = (curve, nil)
    return true
  }
}
