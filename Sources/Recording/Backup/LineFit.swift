import Glibc

/// Fits lines to measured delays and decides where a single line is not enough.
///
/// A least-squares fit by dynamic programming. Each additional line has a cost, so only persistent changes bend or
/// break the course.
struct LineFit {
  /// A measured delay.
  struct Point: Hashable, Sendable {
    /// In samples of the take.
    var time: Double
    /// In samples.
    var delay: Double
    /// Standard deviation, in samples.
    var deviation: Double
  }

  /// A line through the points of a range.
  struct Line: Hashable, Sendable {
    var points: Range<Int>
    /// The delay at time 0, and its change per sample.
    var level: Double
    var slope: Double

    func delay(at time: Double) -> Double { level + slope * time }
  }

  /// Lower limit for the deviation of a reading, in samples: theory omits some errors.
  private static let leastDeviation = 0.06
  /// Cost of a line, in squared deviations.
  private static let price = 30.0
  /// Points needed for a line with its own slope.
  private static let leastPoints = 3
  /// Cost of a line with fewer points, which takes the common slope.
  private static let shortPrice = 120.0
  /// Largest slope of a clock; anything steeper means lost samples.
  private static let steepest = 1e-3
  /// Neighbours on each side that a point is compared with.
  private static let neighbours = 4
  /// A point further than this from the prediction of both sides is dropped, in samples.
  private static let outlier = 0.6
  /// A track's time bends while the recorder learns its clock: how far a point may lie beside a line for every sample of
  /// distance to it, and in all, in samples. A capture that loses sound loses more.
  static let bend = (slope: 200e-6, most: 12.0)

  /// How far a point may lie beside the line through others at a distance of `span` samples, in samples.
  static func bend(over span: Double) -> Double { min(bend.most, bend.slope * span) }

  /// The points without those that agree with neither side, nor with the nearest on both.
  static func cleaned(_ points: [Point]) -> [Point] {
    guard points.count > leastPoints else { return points }
    return points.indices.filter { index in
      let point = points[index]
      let before = Array(points[max(0, index - neighbours)..<index])
      let after = Array(points[(index + 1)..<min(points.count, index + 1 + neighbours)])
      let limit = outlier + 4 * point.deviation
      let sides = [before, after].filter { $0.count >= 2 }
      if sides.isEmpty { return true }
      if sides.contains(where: { abs(median($0).delay(at: point.time) - point.delay) <= limit }) { return true }
      return [before.suffix(2), after.prefix(2), before.suffix(1) + after.prefix(1)].contains { near in
        guard near.count == 2, let nearest = near.map({ abs($0.time - point.time) }).min() else { return false }
        return abs(median(Array(near)).delay(at: point.time) - point.delay) <= limit + bend(over: nearest)
      }
    }.map { points[$0] }
  }

  /// The line with the median slope of all pairs and the median level (Theil and Sen).
  static func median(_ points: [Point]) -> Line {
    var slopes: [Double] = []
    for (index, left) in points.enumerated() {
      for right in points[(index + 1)...] where right.time > left.time {
        slopes.append((right.delay - left.delay) / (right.time - left.time))
      }
    }
    let slope = middle(slopes) ?? 0
    let level = middle(points.map { $0.delay - slope * $0.time }) ?? 0
    return Line(points: 0..<points.count, level: level, slope: slope)
  }

  static func middle(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  /// The smallest set of lines that explains all points.
  static func lines(through points: [Point]) -> [Line] {
    guard points.count > 1 else {
      return points.isEmpty ? [] : [Line(points: 0..<1, level: points[0].delay, slope: 0)]
    }
    let sums = Sums(points)
    let count = points.count
    var costs = [Double](repeating: .infinity, count: count + 1)
    var starts = [Int](repeating: 0, count: count + 1)
    costs[0] = 0
    for end in 1...count {
      for start in 0..<end {
        let price = end - start < leastPoints ? shortPrice : price
        guard costs[start] + price < costs[end] else { continue }
        let cost = costs[start] + price + sums.error(start..<end)
        if cost < costs[end] { (costs[end], starts[end]) = (cost, start) }
      }
    }
    var lines: [Line] = []
    var end = count
    while end > 0 {
      lines.append(sums.line(starts[end]..<end))
      end = starts[end]
    }
    return lines.reversed()
  }

  /// Weighted sums over ranges of points, in constant time.
  private struct Sums {
    private var weights = [0.0]
    private var times = [0.0]
    private var delays = [0.0]
    private var timesSquared = [0.0]
    private var delaysSquared = [0.0]
    private var products = [0.0]
    /// Everything is relative to this common line, so that squares stay small enough for differences to be precise.
    private let base: Line
    private let origin: Double
    private static let unit = 480_000.0

    init(_ points: [Point]) {
      origin = points[points.count / 2].time
      // Slopes between successive points; few of these steps contain a jump.
      let slopes = zip(points, points.dropFirst()).map { ($1.delay - $0.delay) / ($1.time - $0.time) }
      let slope = max(-LineFit.steepest, min(LineFit.steepest, LineFit.middle(slopes) ?? 0))
      let level = LineFit.middle(points.map { $0.delay - slope * $0.time }) ?? 0
      base = Line(points: 0..<points.count, level: level, slope: slope)
      for point in points {
        let weight = 1 / (point.deviation * point.deviation + LineFit.leastDeviation * LineFit.leastDeviation)
        let x = (point.time - origin) / Sums.unit
        let y = point.delay - base.delay(at: point.time)
        weights.append(weights[weights.count - 1] + weight)
        times.append(times[times.count - 1] + weight * x)
        delays.append(delays[delays.count - 1] + weight * y)
        timesSquared.append(timesSquared[timesSquared.count - 1] + weight * x * x)
        delaysSquared.append(delaysSquared[delaysSquared.count - 1] + weight * y * y)
        products.append(products[products.count - 1] + weight * x * y)
      }
    }

    /// Weighted means, and sums of squares about them.
    private struct Moments {
      var weight: Double
      var x: Double
      var y: Double
      var xx: Double
      var yy: Double
      var xy: Double
    }

    private func moments(_ range: Range<Int>) -> Moments {
      let (a, b) = (range.lowerBound, range.upperBound)
      let weight = weights[b] - weights[a]
      let (x, y) = ((times[b] - times[a]) / weight, (delays[b] - delays[a]) / weight)
      return Moments(
        weight: weight, x: x, y: y, xx: timesSquared[b] - timesSquared[a] - weight * x * x,
        yy: delaysSquared[b] - delaysSquared[a] - weight * y * y, xy: products[b] - products[a] - weight * x * y)
    }

    /// The squared error of one line; infinite if its slope is impossible for a clock.
    func error(_ range: Range<Int>) -> Double {
      let m = moments(range)
      let slope = slope(m, range)
      guard abs(base.slope + slope / Sums.unit) <= LineFit.steepest else { return .infinity }
      return max(0, m.yy - slope * m.xy)
    }

    /// Slope relative to the base line's.
    private func slope(_ m: Moments, _ range: Range<Int>) -> Double {
      range.count >= LineFit.leastPoints && m.xx > 1e-12 ? m.xy / m.xx : 0
    }

    func line(_ range: Range<Int>) -> Line {
      let m = moments(range)
      let slope = slope(m, range)
      let level = m.y - slope * m.x
      // Convert back to samples from time 0.
      let perSample = slope / Sums.unit
      return Line(
        points: range, level: base.level + level - perSample * origin, slope: base.slope + perSample)
    }
  }
}
