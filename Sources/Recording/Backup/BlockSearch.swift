/// Finds the delay of a few blocks that do not fit at the expected one.
struct BlockSearch {
  /// Maximum number of blocks examined together.
  static let most = 7
  /// Delays that differ by less than this count as one, in samples: samples are lost in whole blocks.
  static let separation = 16
  /// A different delay must leave less than `level` plus `usual` times the usual rest, and less than the fraction
  /// `gain` of the earlier misfit: a note fits a little wherever it sounds.
  private static let sure = (level: 0.01, usual: 4.0, gain: 0.5)
  /// If a delay near the earlier one leaves no more than this, the delay is unchanged and the codec altered the
  /// phases.
  private static let near = (level: 0.05, usual: 4.0)
  /// If another delay leaves less than `level` plus `gain` times what the best leaves, the sound is a held note, and does
  /// not tell one period from another.
  private static let rival = (level: 0.005, gain: 2.0)
  private static let leastAgreement = 0.5

  let fit: BlockFit
  /// Change of the delay per sample.
  let slope: Double
  private let search = LevelledSearch()
  private let meter = DelayMeter()

  init(_ fit: BlockFit, slope: Double) {
    (self.fit, self.slope) = (fit, slope)
  }

  /// A single block may be a sustained note, or the boundary between two runs; only the take's own beginning and end
  /// may consist of one block.
  func isEnough(_ blocks: Range<Int>) -> Bool {
    blocks.count > 1 || blocks.count == 1 && (blocks.lowerBound == 0 || blocks.upperBound == fit.count)
  }

  /// A delay and the consecutive blocks that fit it.
  struct Course {
    var curve: DelayCurve
    var blocks: Range<Int>
    var misfit: Double
  }

  /// The result of a search.
  enum Outcome {
    case found(Course)
    /// Several delays fit alike.
    case ambiguous
    /// The delay is unchanged, but the sound differs.
    case asBefore
    case none
  }

  /// The delay that most of `blocks` fit.
  ///
  /// - Parameters:
  ///   - before: misfit of each block of the take; nil if it fits or is silent.
  ///   - usual: what is left of blocks that fit.
  func course(
    in blocks: Range<Int>, near curve: DelayCurve, before: [Double?], usual: Double
  ) throws -> Outcome {
    let start = BlockFit.place(blocks.lowerBound)
    let length = blocks.count * BlockFit.length
    let middle = Double(start) + Double(length) / 2
    let straight = DelayCurve(at: middle, delay: curve.delay(at: middle), slope: slope)
    let other = try fit.windows.backup(
      from: start - Int64((LevelledSearch.window - length) / 2), count: LevelledSearch.window, along: straight)
    let fits = search.fits(
      try fit.windows.take(from: start, count: length), other, near: BlockSearch.separation)
    let left = 1 - fits.near * abs(fits.near)
    if left < BlockSearch.near.level + BlockSearch.near.usual * usual { return .asBefore }
    var best: Course?
    for node in fits.nodes {
      let found = DelayCurve(at: middle, delay: straight.delay(at: middle) + node.delay, slope: slope)
      let (run, misfit) = try longestRun(of: blocks, by: found, before, usual)
      guard isEnough(run), (run.count, -misfit) > (best?.blocks.count ?? 0, -(best?.misfit ?? .infinity)) else {
        continue
      }
      best = Course(curve: found, blocks: run, misfit: misfit)
    }
    guard let best else { return .none }
    let rivals = fits.nodes.map { straight.delay(at: middle) + $0.delay }
      .filter { abs($0 - best.curve.delay(at: middle)) >= Double(BlockSearch.separation) }
    for rival in rivals {
      let left = try misfit(of: best.blocks, by: DelayCurve(at: middle, delay: rival, slope: slope))
      if left < BlockSearch.rival.level + BlockSearch.rival.gain * best.misfit { return .ambiguous }
    }
    // Search again without the neighbouring blocks, which pulled the delay towards themselves.
    if best.blocks != blocks,
      case .found(let course) = try course(in: best.blocks, near: curve, before: before, usual: usual)
    {
      return .found(course)
    }
    return .found(best)
  }

  /// The longest run of blocks that fit `curve` much better than before, and their mean misfit.
  private func longestRun(
    of blocks: Range<Int>, by curve: DelayCurve, _ before: [Double?], _ usual: Double
  ) throws -> (run: Range<Int>, misfit: Double) {
    let sure = BlockSearch.sure.level + BlockSearch.sure.usual * usual
    var (best, bestSum) = (blocks.lowerBound..<blocks.lowerBound, 0.0)
    var (first, sum) = (blocks.lowerBound, 0.0)
    for block in blocks {
      guard let former = before[block], let misfit = try fit.misfit(block, curve),
        misfit < min(sure, former * BlockSearch.sure.gain)
      else {
        (first, sum) = (block + 1, 0)
        continue
      }
      sum += misfit
      if block + 1 - first > best.count { (best, bestSum) = (first..<(block + 1), sum) }
    }
    return (best, best.isEmpty ? .infinity : bestSum / Double(best.count))
  }

  /// The mean misfit of blocks; infinite if one of them is silent.
  private func misfit(of blocks: Range<Int>, by curve: DelayCurve) throws -> Double {
    var sum = 0.0
    for block in blocks { sum += try fit.misfit(block, curve) ?? .infinity }
    return sum / Double(max(1, blocks.count))
  }

  /// Refines the delay to a fraction of a sample.
  func finer(_ curve: DelayCurve, _ blocks: Range<Int>) throws -> DelayCurve? {
    let start = BlockFit.place(blocks.lowerBound)
    let length = blocks.count * BlockFit.length
    let sound = try fit.windows.take(from: start, count: length)
    guard let reading = meter.measure(sound, try fit.windows.backup(from: start, count: length, along: curve)),
      reading.agreement >= BlockSearch.leastAgreement, abs(reading.delay) < 1
    else { return nil }
    let middle = Double(start) + Double(length) / 2
    return DelayCurve(at: middle, delay: curve.delay(at: middle) + reading.delay, slope: slope)
  }
}

/// Measures in short blocks how well a backup fits a take at a given delay.
struct BlockFit {
  /// Samples per block: 85 ms.
  static let length = 4_096

  let windows: AlignmentWindows

  /// Number of whole blocks in the take.
  var count: Int { Int(clamping: windows.take.frameCount / Int64(BlockFit.length)) }

  /// First sample of a block.
  static func place(_ block: Int) -> Int64 { Int64(block) * Int64(length) }

  /// The fraction of the take's power left after subtracting the backup at its best level; nil if either is silent.
  func misfit(_ block: Int, _ curve: DelayCurve) throws -> Double? {
    let start = BlockFit.place(block)
    let sound = try windows.take(from: start, count: BlockFit.length)
    guard AlignmentWindows.level(sound) > BackupAligner.silence else { return nil }
    let other = try windows.backup(from: start, count: sound.count, along: curve)
    guard AlignmentWindows.level(other) > BackupAligner.silence else { return nil }
    var likeness = Likeness()
    likeness.add(sound, other)
    return likeness.left
  }
}

/// Finds the delays at which a short stretch of a take fits a backup, up to a second either way.
///
/// It uses normalised cross correlation: each delay is scored by the part of the sound it explains, however loud the
/// backup is there. It needs a close match and therefore less sound than `DelayFinder`, which copes with worse
/// codecs.
struct LevelledSearch {
  /// Samples of the backup searched.
  static let window = 131_072
  /// Maximum delay either way, in samples.
  static let reach = 48_000
  private static let maxima = Maxima(contest: 0.8, cost: 1e-7)

  private let transform = FourierTransform(LevelledSearch.window)

  /// The result of a search.
  struct Fits: Hashable, Sendable {
    /// Delays of the backup relative to the sound, best first; the score is the correlation coefficient.
    var nodes: [PathSearch.Node]
    /// The best score near the expected delay.
    var near: Double
  }

  /// - Parameters:
  ///   - sound: an even number of samples, at most the window minus twice the reach.
  ///   - backup: `window` samples, with `sound` expected in the middle.
  ///   - near: samples on each side of that position.
  func fits(_ sound: [Float], _ backup: [Float], near: Int) -> Fits {
    let scores = scores(sound, backup)
    let middle = LevelledSearch.reach
    return Fits(
      nodes: LevelledSearch.maxima.pick(from: scores), near: scores[(middle - near)...(middle + near)].max() ?? 0)
  }

  /// The correlation coefficient at each delay from `-reach` to `reach`.
  func scores(_ sound: [Float], _ backup: [Float]) -> [Double] {
    let quiet = (LevelledSearch.window - sound.count) / 2
    let silence = [Float](repeating: 0, count: quiet)
    let spectrum = CrossSpectrum(silence + sound + silence, backup, transform)
    let products = CrossSpectrum.correlation(spectrum.real, spectrum.imaginary, transform)
    var powers = [0.0]
    powers.reserveCapacity(backup.count + 1)
    for sample in backup { powers.append(powers[powers.count - 1] + Double(sample) * Double(sample)) }
    let power = sound.reduce(0.0) { $0 + Double($1) * Double($1) }
    return (-LevelledSearch.reach...LevelledSearch.reach).map { delay -> Double in
      let other = powers[quiet + delay + sound.count] - powers[quiet + delay]
      // Near-silence would fit by chance.
      guard power > 0, other > power * 1e-6 else { return 0 }
      let product = Double(products[(delay + products.count) % products.count]) / Double(LevelledSearch.window)
      return product / (power * other).squareRoot()
    }
  }
}
