import Glibc

/// Finds the delay of one signal relative to another.
package enum CrossCorrelation {
  /// The best alignment of two signals.
  package struct Match: Hashable, Sendable {
    /// Delay of `recorded` relative to `played` in (fractional) samples; negative if it is earlier.
    package var lag: Double
    /// Correlation coefficient at that lag: 1 for the same signal at any level, 0 for unrelated signals.
    package var coefficient: Double
  }

  /// Samples per step of the coarse search, which compares energy envelopes.
  private static let coarse = 32
  /// Samples on each side of the coarse lag that the fine search tries.
  private static let fineReach = 48
  /// Coarse lags passed to the fine search: evenly spaced clicks fit nearly as well one beat apart.
  private static let candidates = 3
  /// Coarse lags whose score is below the best by more than this are skipped.
  private static let contest = 0.1
  /// Samples compared by the fine search: the loudest stretch of this length, two thirds of a second.
  private static let fineLength = 32_768

  /// Searches `recorded` for `played` within ± `maximumLag` samples; nil if either is silent or too short.
  ///
  /// The search runs in three steps: energy envelopes at 1.5 kHz, single samples around the best three lags, and a
  /// parabola through the best three samples for the fraction.
  ///
  /// ```swift
  /// let match = CrossCorrelation.align(recorded, to: played, maximumLag: 4_800)
  /// ```
  package static func align(_ recorded: [Float], to played: [Float], maximumLag: Int) -> Match? {
    let envelopeRecorded = envelope(recorded)
    let envelopePlayed = envelope(played)
    let reach = max(1, maximumLag / coarse + 1)
    let coarseScores = coefficients(
      envelopeRecorded, envelopePlayed, lags: -reach...reach, range: 0..<envelopePlayed.count)
    var scores = zip(-reach...reach, coarseScores).map { (lag: $0, score: $1) }.filter { $0.score > -1 }
    scores.sort { $0.score > $1.score }
    var tried: [Int] = []
    let least = (scores.first?.score ?? 0) - contest
    for score in scores where tried.count < candidates && score.score >= least {
      if tried.allSatisfy({ abs($0 - score.lag) > fineReach / coarse }) { tried.append(score.lag) }
    }
    let range = loudest(envelopePlayed, count: played.count)
    return tried.compactMap { fine(recorded, played, around: $0 * coarse, range: range) }
      .max { $0.coefficient < $1.coefficient }
  }

  /// Tries every lag within `reach` samples of `center`; nil if either is silent or too short.
  ///
  /// Where something is known of the place: by its envelope alone, a rhythm that repeats itself lies a bar later as well, and
  /// a held note anywhere. Each lag costs a comparison of two thirds of a second.
  package static func align(_ recorded: [Float], to played: [Float], around center: Int, reach: Int) -> Match? {
    fine(recorded, played, around: center, reach: reach, range: loudest(envelope(played), count: played.count))
  }

  private static func fine(
    _ recorded: [Float], _ played: [Float], around center: Int, reach: Int = fineReach, range: Range<Int>
  ) -> Match? {
    let lags = (center - reach)...(center + reach)
    let scores = coefficients(recorded, played, lags: lags, range: range)
    guard let best = scores.indices.max(by: { scores[$0] < scores[$1] }), scores[best] > -1 else { return nil }
    var lag = Double(lags.lowerBound + best)
    var height = scores[best]
    if best > 0, best + 1 < scores.count {
      let (before, at, after) = (scores[best - 1], scores[best], scores[best + 1])
      let curvature = before - 2 * at + after
      if curvature < 0 {
        let offset = (before - after) / (2 * curvature)
        lag += offset
        height = at - (before - after) * offset / 4
      }
    }
    return Match(lag: lag, coefficient: height)
  }

  /// The correlation coefficients of `played[range]` with `recorded`, one for each of `lags`; -1 if they hardly
  /// overlap or one is silent.
  private static func coefficients(
    _ recorded: [Float], _ played: [Float], lags: ClosedRange<Int>, range: Range<Int>
  ) -> [Double] {
    recorded.withUnsafeBufferPointer { recorded in
      played.withUnsafeBufferPointer { played in
        guard let left = recorded.baseAddress, let right = played.baseAddress else { return lags.map { _ in -1 } }
        return lags.map { lag in
          let start = max(range.lowerBound, -lag)
          let count = min(range.upperBound, recorded.count - lag) - start
          guard count > 0, count >= min(range.count, 256) / 2 else { return -1 }
          let (a, b) = (left + (start + lag), right + start)
          let (both, first, second) = products(a, b, count: count)
          return first > 0 && second > 0 ? both / (first * second).squareRoot() : -1
        }
      }
    }
  }

  /// The sums of a·b, a·a and b·b.
  ///
  /// Written with scalar accumulators rather than SIMD types: optimised builds vectorise it, and debug builds run it
  /// ten times faster.
  private static func products(
    _ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, count: Int
  ) -> (Double, Double, Double) {
    var total = (0.0, 0.0, 0.0)
    var index = 0
    while index < count {
      // A float is precise enough for the sum of a short stretch; doubles add up the stretches.
      let end = min(count, index &+ 1_024)
      var (p0, p1, p2, p3): (Float, Float, Float, Float) = (0, 0, 0, 0)
      var (a0, a1, a2, a3): (Float, Float, Float, Float) = (0, 0, 0, 0)
      var (b0, b1, b2, b3): (Float, Float, Float, Float) = (0, 0, 0, 0)
      while index &+ 4 <= end {
        let a = left + index
        let b = right + index
        p0 += a[0] * b[0]
        p1 += a[1] * b[1]
        p2 += a[2] * b[2]
        p3 += a[3] * b[3]
        a0 += a[0] * a[0]
        a1 += a[1] * a[1]
        a2 += a[2] * a[2]
        a3 += a[3] * a[3]
        b0 += b[0] * b[0]
        b1 += b[1] * b[1]
        b2 += b[2] * b[2]
        b3 += b[3] * b[3]
        index &+= 4
      }
      while index < end {
        p0 += left[index] * right[index]
        a0 += left[index] * left[index]
        b0 += right[index] * right[index]
        index &+= 1
      }
      total.0 += Double((p0 + p1) + (p2 + p3))
      total.1 += Double((a0 + a1) + (a2 + a3))
      total.2 += Double((b0 + b1) + (b2 + b3))
    }
    return total
  }

  /// The level of every `coarse` samples minus the mean level.
  private static func envelope(_ samples: [Float]) -> [Float] {
    var levels = [Float](repeating: 0, count: samples.count / coarse)
    for index in levels.indices {
      var sum: Float = 0
      for sample in samples[(index * coarse)..<((index + 1) * coarse)] { sum += sample * sample }
      levels[index] = sum.squareRoot()
    }
    let mean = levels.reduce(0, +) / Float(max(1, levels.count))
    return levels.map { $0 - mean }
  }

  /// The stretch of `fineLength` samples with the most energy.
  private static func loudest(_ envelope: [Float], count: Int) -> Range<Int> {
    let length = fineLength / coarse
    guard envelope.count > length else { return 0..<count }
    var sum = envelope.prefix(length).reduce(Float(0)) { $0 + abs($1) }
    var best = (start: 0, sum: sum)
    for start in 1...(envelope.count - length) {
      sum += abs(envelope[start + length - 1]) - abs(envelope[start - 1])
      if sum > best.sum { best = (start, sum) }
    }
    return (best.start * coarse)..<min(count, (best.start + length) * coarse)
  }
}
