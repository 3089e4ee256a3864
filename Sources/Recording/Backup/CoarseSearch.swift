import Glibc

/// Searches for the position of a backup by comparing loudness envelopes, in stretches of some seconds of a take.
///
/// Delays count envelope instants (10 ms) by which a sound lies later in the backup's file than in the take.
struct CoarseSearch {
  /// Instants per stretch: 20 s, or half of a short take, so that there is always more than one.
  private static let stretch = 20 * Envelope.rate
  /// Instants that must lie in both: 2 s.
  private static let least = 2 * Envelope.rate
  /// Maximum delay either way of an expected one: 30 s.
  static let reach = 30 * Envelope.rate
  /// Delays per stretch that are examined further.
  private static let candidates = 10
  /// Two delays closer than this count as one: 30 ms.
  private static let separation = 3
  private static let leastScore = 0.15
  /// Alternatives kept besides the best course.
  private static let alternatives = 3
  /// A course scoring less than this fraction of the best is dropped.
  private static let contest = 0.7
  /// Largest slope, 500 ppm for clock drift and bent pitch, in instants per instant.
  private static let slope = 500e-6

  /// One possible course of the delay.
  struct Course: Sendable {
    /// Middle of each stretch that fits (in instants of the take's envelope) and its delay.
    var points: [(time: Double, delay: Double)]
    /// The mean score of the stretches.
    var score: Double
  }

  let take: Envelope
  let backup: Envelope

  /// The courses that fit best, best first.
  ///
  /// - Parameter expected: delays to search around, in instants.
  func courses(around expected: [Int], _ proceed: () throws -> Void) rethrows -> [Course] {
    var steps = try steps(around: expected, proceed)
    guard !steps.isEmpty else { return [] }
    let search = PathSearch(slope: CoarseSearch.slope, slack: 1.5, jumpCost: 0.4, floor: CoarseSearch.leastScore)
    var courses: [Course] = []
    var best = 0.0
    for _ in 0...CoarseSearch.alternatives {
      let (points, worth) = search.best(steps)
      guard !points.isEmpty, worth >= best * CoarseSearch.contest else { break }
      best = max(best, worth)
      courses.append(
        Course(
          points: points.map { (steps[$0.step].time, $0.node.delay) },
          score: points.reduce(0) { $0 + $1.node.score } / Double(max(1, steps.count))))
      // The next course must be a different one.
      for point in points {
        steps[point.step].nodes.removeAll { abs($0.delay - point.node.delay) < Double(CoarseSearch.separation) }
      }
    }
    return courses
  }

  private func steps(around expected: [Int], _ proceed: () throws -> Void) rethrows -> [PathSearch.Step] {
    let length = min(CoarseSearch.stretch, max(CoarseSearch.least, take.count / 2))
    guard length <= take.count else { return [] }
    var starts = Array(stride(from: 0, through: take.count - length, by: length / 2))
    if let last = starts.last, last + length < take.count { starts.append(take.count - length) }
    let span = length + 2 * CoarseSearch.reach
    var size = 2
    while size < span { size *= 2 }
    let transform = FourierTransform(size)
    var steps: [PathSearch.Step] = []
    for start in starts {
      try proceed()
      let nodes = expected.flatMap { fits(start, length, around: $0, transform) }
      if !nodes.isEmpty { steps.append(.init(time: Double(start + length / 2), nodes: nodes)) }
    }
    return steps
  }

  /// The delays at which a stretch of the take fits the backup: maxima of the correlation summed over all bands.
  private func fits(
    _ start: Int, _ length: Int, around expected: Int, _ transform: FourierTransform
  ) -> [PathSearch.Node] {
    let first = start + expected - CoarseSearch.reach
    let span = length + 2 * CoarseSearch.reach
    let inside = max(0, first)..<max(max(0, first), min(backup.count, first + span))
    guard inside.count >= min(CoarseSearch.least, length) else { return [] }
    var (sumRe, sumIm) = ([Float](repeating: 0, count: transform.count), [Float](repeating: 0, count: transform.count))
    var power = [Double](repeating: 0, count: span)
    var own = 0.0
    for band in 0..<Envelope.bands {
      let part = CoarseSearch.centered(take, band, start..<(start + length), from: start, count: transform.count)
      let other = CoarseSearch.centered(backup, band, inside, from: first, count: transform.count)
      for index in 0..<length { own += Double(part[index] * part[index]) }
      for index in 0..<span { power[index] += Double(other[index] * other[index]) }
      let spectrum = CrossSpectrum(part, other, transform)
      for bin in spectrum.real.indices {
        sumRe[bin] += spectrum.real[bin]
        sumIm[bin] += spectrum.imaginary[bin]
      }
    }
    guard own > 1e-6 else { return [] }
    let values = CrossSpectrum.correlation(sumRe, sumIm, transform)
    var theirs = power[0..<length].reduce(0, +)
    var scores: [Double] = []
    for lag in 0...(span - length) {
      let norm = (own * theirs).squareRoot() * Double(transform.count)
      scores.append(theirs > 1e-6 ? Double(values[lag]) / norm : -1)
      if lag + length < span { theirs += power[lag + length] - power[lag] }
    }
    // If little of a stretch overlaps the backup, its score is unreliable.
    for lag in scores.indices {
      let begin = max(first + lag, 0)
      let shared = min(first + lag + length, backup.count) - begin
      let part = Double(max(0, shared)) / Double(length)
      scores[lag] = shared < min(CoarseSearch.least, length) ? -1 : scores[lag] * part.squareRoot()
    }
    return CoarseSearch.maxima(scores).map { lag, score in
      PathSearch.Node(delay: Double(first - start) + lag, score: score)
    }
  }

  /// The values of a band in `range` minus their mean, padded with zeros, from instant `first` on.
  private static func centered(
    _ envelope: Envelope, _ band: Int, _ range: Range<Int>, from first: Int, count: Int
  ) -> [Float] {
    var values = [Float](repeating: 0, count: count)
    var sum: Float = 0
    for index in range {
      let value = envelope.value(band, at: index)
      values[index - first] = value
      sum += value
    }
    let mean = sum / Float(max(1, range.count))
    for index in range { values[index - first] -= mean }
    return values
  }

  /// The highest local maxima, interpolated by a parabola.
  private static func maxima(_ scores: [Double]) -> [(Double, Double)] {
    var found: [(lag: Double, score: Double)] = []
    for index in scores.indices where scores[index] >= leastScore {
      let before = index > 0 ? scores[index - 1] : -1
      let after = index + 1 < scores.count ? scores[index + 1] : -1
      guard scores[index] >= before, scores[index] > after else { continue }
      let curvature = before - 2 * scores[index] + after
      let shift = before > -1 && after > -1 && curvature < 0 ? (before - after) / (2 * curvature) : 0
      found.append((Double(index) + shift, scores[index]))
    }
    found.sort { $0.score > $1.score }
    var kept: [(Double, Double)] = []
    for peak in found where kept.count < candidates {
      if kept.allSatisfy({ abs($0.0 - peak.lag) >= Double(separation) }) { kept.append((peak.lag, peak.score)) }
    }
    return kept
  }
}
