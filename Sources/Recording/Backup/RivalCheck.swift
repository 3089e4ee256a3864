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
