/// Final check of how much an aligned backup and the track have in common.
struct AlignmentCheck {
  /// Maximum number of windows compared.
  private static let limit = 64
  private static let window = 24_000

  private let windows: AlignmentWindows

  init(_ windows: AlignmentWindows) {
    self.windows = windows
  }

  /// The correlation coefficient over the windows around `places`, taken together.
  func correlation(of mapping: BackupMapping, at places: [Double], _ proceed: () throws -> Void) throws -> Double {
    var likeness = Likeness()
    for index in stride(from: 0, to: places.count, by: max(1, places.count / AlignmentCheck.limit)) {
      try proceed()
      let start = max(0, Int64(places[index]) - Int64(AlignmentCheck.window / 2))
      guard let line = windows.line(of: mapping, from: start, count: AlignmentCheck.window) else { continue }
      let left = try windows.take(from: start, count: AlignmentCheck.window)
      let right = try windows.backup(
        from: start, count: AlignmentCheck.window, delay: line.delay, slope: line.slope)
      likeness.add(left, right)
    }
    return likeness.coefficient
  }
}

/// Similarity of two sounds at any level, from sums over the samples added.
struct Likeness {
  private var product = 0.0
  private var first = 0.0
  private var second = 0.0

  /// Adds corresponding samples of both sounds.
  mutating func add(_ left: [Float], _ right: [Float]) {
    for (x, y) in zip(left, right) {
      product += Double(x) * Double(y)
      first += Double(x) * Double(x)
      second += Double(y) * Double(y)
    }
  }

  /// True if either sound is silent or nothing has been added.
  var isEmpty: Bool { first <= 0 || second <= 0 }
  /// The correlation coefficient, -1 to 1; 0 if `isEmpty`.
  var coefficient: Double { isEmpty ? 0 : product / (first * second).squareRoot() }
  /// The gain of the second sound that leaves the smallest difference from the first; 1 if `isEmpty`.
  var gain: Double { isEmpty ? 1 : product / second }
  /// The fraction of the first sound's power left at that gain, 0 to 1; 1 if the polarity is inverted.
  var left: Double { product > 0 && !isEmpty ? max(0, 1 - product * product / (first * second)) : 1 }
}
