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

/// What two sounds have in common, at any level: sums over as many samples as are added.
struct Likeness {
  private var product = 0.0
  private var first = 0.0
  private var second = 0.0

  /// Adds samples of both, the one beside the other.
  mutating func add(_ left: [Float], _ right: [Float]) {
    for (x, y) in zip(left, right) {
      product += Double(x) * Double(y)
      first += Double(x) * Double(x)
      second += Double(y) * Double(y)
    }
  }

  /// True where one of them is silent, or nothing was added.
  var isEmpty: Bool { first <= 0 || second <= 0 }
  /// The correlation coefficient, -1 to 1; 0 where `isEmpty`.
  var coefficient: Double { isEmpty ? 0 : product / (first * second).squareRoot() }
  /// The level of the first over the second's, by which least is left over; 1 where `isEmpty`.
  var gain: Double { isEmpty ? 1 : product / second }
  /// The part of the first one's power that is left then, 0 to 1; what is turned round leaves all.
  var left: Double { product > 0 && !isEmpty ? max(0, 1 - product * product / (first * second)) : 1 }
}
