/// Tells whether an aligned backup fits the take nowhere else nearby: a held note fits at each of its periods.
///
/// At each place the take's sound is laid over the backup at all delays up to a second from the mapping's. The mean over
/// many places at a delay is high only if it fits all of them, so that notes which differ tell their periods apart.
struct RivalCheck {
  /// Maximum number of places.
  private static let limit = 48
  /// Samples of the take at each place.
  private static let length = 32_768
  /// Another delay that leaves less than `level` plus `gain` times what the mapping leaves is as good.
  private static let rival = (level: 0.005, gain: 2.0)

  /// Samples of the shortest sound at an end: two blocks.
  private static let tail = 2 * BlockFit.length
  /// Another delay is better if it leaves less than this part of what the line leaves: at the ends of the copy, and
  /// beside a loss that was found, where a line over a bend is a little off more often than another loss hides.
  private static let better = (atEnd: 0.5, besideLoss: 0.1)

  private let windows: AlignmentWindows
  private let search = LevelledSearch()

  init(_ windows: AlignmentWindows) {
    self.windows = windows
  }

  /// False if the sound of a stretch fits another delay as well; true also if it is too short to tell.
  func isAlone(_ stretch: BackupMapping.Stretch, _ proceed: () throws -> Void) throws -> Bool {
    let half = Int64(RivalCheck.length / 2)
    guard stretch.end - stretch.start >= 2 * half else { return true }
    let places = stride(from: stretch.start + half, through: stretch.end - half, by: Int(half)).map { Double($0) }
    guard let shift = try best(of: BackupMapping(stretches: [stretch]), at: places, proceed) else { return false }
    return abs(shift) < BlockSearch.separation
  }

  /// A part of the take without the sound at its ends that fits another delay better than `curve`: a note that is held
  /// there may hide a loss. Empty if all of it does.
  /// - Parameters isFirst, isLast: true if the part is the first, or the last, of its copy.
  func certainPart(
    of part: Range<Int64>, isFirst: Bool, isLast: Bool, along curve: DelayCurve, _ proceed: () throws -> Void
  ) throws -> Range<Int64> {
    let better = RivalCheck.better
    let start = try doubtful(part, isFirst ? better.atEnd : better.besideLoss, along: curve, proceed) {
      part.lowerBound + $0 - $1
    }
    let rest = part.lowerBound + start..<part.upperBound
    let end = try doubtful(rest, isLast ? better.atEnd : better.besideLoss, along: curve, proceed) { count, _ in
      part.upperBound - count
    }
    return rest.lowerBound..<rest.upperBound - end
  }

  /// How many samples at one end of a part fit another delay better: from there inwards as far as they do, first all of
  /// them together, then those furthest from the end.
  /// - Parameter place: the first of the last `length` samples among `count` from the end on.
  private func doubtful(
    _ part: Range<Int64>, _ better: Double, along curve: DelayCurve, _ proceed: () throws -> Void,
    place: (Int64, Int64) -> Int64
  ) throws -> Int64 {
    var isDoubtful = false
    for count in stride(from: RivalCheck.tail, through: part.count, by: BlockFit.length) {
      try proceed()
      let length = min(count, RivalCheck.length)
      let start = place(Int64(count), Int64(length))
      guard let fits = try fitsBest(start, length, better, along: curve) else { continue }
      // The sound that tells its delay begins somewhere among these samples.
      if fits { return isDoubtful ? Int64(count) : 0 }
      isDoubtful = true
    }
    return isDoubtful ? Int64(part.count) : 0
  }

  /// False if the sound from `start` on fits another delay better than `curve`; nil if it is silent.
  private func fitsBest(_ start: Int64, _ length: Int, _ better: Double, along curve: DelayCurve) throws -> Bool? {
    let sound = try windows.take(from: start, count: length)
    guard AlignmentWindows.level(sound) > BackupAligner.silence else { return nil }
    let middle = Double(start) + Double(length) / 2
    func left(_ shift: Double) throws -> Double {
      let other = DelayCurve(at: middle, delay: curve.delay(at: middle) + shift, slope: curve.slope(at: middle))
      var likeness = Likeness()
      likeness.add(sound, try windows.backup(from: start, count: length, along: other))
      return likeness.left
    }
    let around = try windows.backup(
      from: start - Int64((LevelledSearch.window - length) / 2), count: LevelledSearch.window, along: curve)
    let least = better * (try left(0))
    return try search.fits(sound, around, near: BlockSearch.separation).nodes.allSatisfy {
      try abs($0.delay) < Double(BlockSearch.separation) || left($0.delay) >= least
    }
  }

  /// The delay that fits best, in samples from the mapping's; nil if another is as good, or nothing was compared.
  func best(of mapping: BackupMapping, at places: [Double], _ proceed: () throws -> Void) throws -> Int? {
    var sums = [Double](repeating: 0, count: 2 * LevelledSearch.reach + 1)
    var compared = 0.0
    for index in stride(from: 0, to: places.count, by: max(1, places.count / RivalCheck.limit)) {
      try proceed()
      let start = max(0, Int64(places[index]) - Int64(RivalCheck.length / 2))
      guard let line = windows.line(of: mapping, from: start, count: RivalCheck.length) else { continue }
      let margin = (LevelledSearch.window - RivalCheck.length) / 2
      let sound = try windows.take(from: start, count: RivalCheck.length)
      // Silence fits everywhere and nowhere: a muted musician's would outweigh what was played.
      guard AlignmentWindows.level(sound) > BackupAligner.silence else { continue }
      let other = try windows.backup(
        from: start - Int64(margin), count: LevelledSearch.window, delay: line.delay - line.slope * Double(margin),
        slope: line.slope)
      let copy = Array(other[margin..<(margin + sound.count)])
      guard AlignmentWindows.level(copy) > BackupAligner.silence else { continue }
      for (lag, score) in search.scores(sound, other).enumerated() { sums[lag] += score }
      compared += 1
    }
    guard compared > 0, let top = sums.indices.max(by: { sums[$0] < sums[$1] }) else { return nil }
    func left(_ sum: Double) -> Double { 1 - (sum / compared) * abs(sum / compared) }
    let limit = RivalCheck.rival.level + RivalCheck.rival.gain * left(sums[top])
    let isAlone = sums.indices.allSatisfy { abs($0 - top) < BlockSearch.separation || left(sums[$0]) >= limit }
    return isAlone ? top - LevelledSearch.reach : nil
  }
}
