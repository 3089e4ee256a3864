/// The straight line under points that touches them, across the middle of their span: what the quickest say when everything
/// else only ever waits longer.
struct LowerLine: Hashable, Sendable {
  private let begin: EnvelopePoint
  let slope: Double
  /// What it may be off at the ends of the points' span, in seconds: by how much the points that it rests on lie apart.
  let uncertainty: Double

  /// Scatter that is assumed at least of a point that waited least, in seconds.
  private static let leastScatter = 0.000_5

  /// Nil for fewer than three points, and where the line would be steeper than `greatestSlope`.
  init?(under points: [EnvelopePoint], greatestSlope: Double) {
    let points = points.sorted { $0.media < $1.media }
    guard points.count > 2, let first = points.first, let last = points.last, last.media > first.media else {
      return nil
    }
    var hull: [EnvelopePoint] = []
    for point in points {
      while hull.count > 1, !LowerLine.turnsUp(hull[hull.count - 2], hull[hull.count - 1], point) { hull.removeLast() }
      hull.append(point)
    }
    let middle = (first.media + last.media) / 2
    guard let index = hull.firstIndex(where: { $0.media >= middle }), index > 0 else { return nil }
    let (left, right) = (hull[index - 1], hull[index])
    guard right.media > left.media else { return nil }
    slope = (right.residual - left.residual) / (right.media - left.media)
    guard abs(slope) <= greatestSlope else { return nil }
    begin = left
    uncertainty = LowerLine.leastScatter * (last.media - first.media) / (right.media - left.media)
  }

  func value(at media: Double) -> Double { begin.residual + slope * (media - begin.media) }

  private static func turnsUp(_ a: EnvelopePoint, _ b: EnvelopePoint, _ c: EnvelopePoint) -> Bool {
    (b.media - a.media) * (c.residual - a.residual) - (b.residual - a.residual) * (c.media - a.media) > 0
  }
}
