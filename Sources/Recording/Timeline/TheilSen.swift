/// A robust line fit, unaffected by up to 29 % of outliers (H. Theil 1950, P. K. Sen 1968).
enum TheilSen {
  /// A line and its uncertainty.
  struct Line: Hashable, Sendable {
    /// Rise per unit of x.
    var slope: Double
    /// Standard deviation of the slope, from the scatter of the points.
    var uncertainty: Double
  }

  /// Assumed minimum scatter, in seconds: no clock is read more precisely.
  private static let leastScatter = 20e-6
  /// Scales the median absolute deviation to a standard deviation.
  private static let deviationScale = 1.4826
  /// 12 for evenly spread points, plus a tenth because medians are slightly less efficient than means.
  private static let spreadFactor = 13.0

  /// The median of the slopes of all pairs; nil for fewer than three points.
  static func fit(_ points: [EnvelopePoint]) -> Line? {
    guard points.count >= 3, let first = points.first, let last = points.last, last.media > first.media else {
      return nil
    }
    var slopes: [Double] = []
    slopes.reserveCapacity(points.count * (points.count - 1) / 2)
    for (index, left) in points.enumerated() {
      for right in points[(index + 1)...] where right.media > left.media {
        slopes.append((right.residual - left.residual) / (right.media - left.media))
      }
    }
    guard let slope = median(&slopes) else { return nil }
    var levels = points.map { $0.residual - slope * $0.media }
    guard let level = median(&levels) else { return nil }
    var deviations = levels.map { abs($0 - level) }
    let scatter = max(leastScatter, (median(&deviations) ?? 0) * deviationScale)
    let span = last.media - first.media
    return Line(slope: slope, uncertainty: scatter * (spreadFactor / Double(points.count)).squareRoot() / span)
  }

  static func median(_ values: inout [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    values.sort()
    let middle = values.count / 2
    return values.count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
  }
}
