/// What an aligned backup and the track have in common in the end.
struct AlignmentCheck {
  /// Windows that are compared at most.
  private static let limit = 64
  private static let window = 24_000

  private let windows: AlignmentWindows

  init(_ windows: AlignmentWindows) {
    self.windows = windows
  }

  /// The correlation coefficient over windows about `places`, all taken together.
  func correlation(of mapping: BackupMapping, at places: [Double], _ proceed: () throws -> Void) throws -> Double {
    var likeness = Likeness()
    for index in stride(from: 0, to: places.count, by: max(1, places.count / AlignmentCheck.limit)) {
      try proceed()
      let start = max(0, Int64(places[index]) - Int64(AlignmentCheck.window / 2))
      let end = start + Int64(AlignmentCheck.window)
      guard let stretch = mapping.stretches.first(where: { $0.start <= start && $0.end >= end }) else { continue }
      let position = stretch.position(of: Double(start))
      let slope = (stretch.position(of: Double(end)) - position) / Double(AlignmentCheck.window) / windows.ratio - 1
      let left = try windows.take(from: start, count: AlignmentCheck.window)
      let right = try windows.backup(
        from: start, count: AlignmentCheck.window, delay: position / windows.ratio - Double(start), slope: slope)
      likeness.add(left, right)
    }
    return likeness.coefficient
  }
}
