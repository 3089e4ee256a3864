/// The delay of a backup over a run without losses: straight lines that meet in slight bends and extend beyond the
/// first and last knot.
struct DelayCurve: Hashable, Sendable {
  /// A position in the take and the delay there, both in samples.
  struct Knot: Hashable, Sendable {
    var time: Double
    var delay: Double
  }

  /// At least two, sorted by time.
  private(set) var knots: [Knot]

  init(at time: Double, delay: Double, slope: Double) {
    knots = [Knot(time: time, delay: delay), Knot(time: time + 1, delay: delay + slope)]
  }

  /// The part of `line` between the first and the last of its points.
  init(_ line: LineFit.Line, through points: [LineFit.Point]) {
    let (first, last) = (points[line.points.lowerBound].time, points[line.points.upperBound - 1].time)
    knots = [first, last > first ? last : first + 1].map { Knot(time: $0, delay: line.delay(at: $0)) }
  }

  /// Continues the curve along another line.
  mutating func append(_ other: DelayCurve) { knots += other.knots }

  /// True if it is more than one line.
  var bends: Bool { knots.count > 2 }

  /// True if it was measured at several places.
  var isMeasured: Bool { bends || last - first > 1 }

  /// The first and the last measured position.
  var first: Double { knots[0].time }
  var last: Double { knots[knots.count - 1].time }

  func delay(at time: Double) -> Double {
    let knot = knots[segment(at: time)]
    return knot.delay + (time - knot.time) * slope(at: time)
  }

  /// Change of the delay per sample.
  func slope(at time: Double) -> Double {
    let index = segment(at: time)
    return (knots[index + 1].delay - knots[index].delay) / (knots[index + 1].time - knots[index].time)
  }

  /// The straight line at `time`.
  func line(at time: Double) -> LineFit.Line {
    let slope = slope(at: time)
    return LineFit.Line(points: 0..<0, level: delay(at: time) - slope * time, slope: slope)
  }

  /// The position in the take that corresponds to the backup's `sample` (at 48 kHz).
  func time(of sample: Double) -> Double {
    // Delays change by millionths, so each iteration is a thousand times more precise than the one before.
    var time = sample - knots[0].delay
    for _ in 0..<4 { time = sample - delay(at: time) }
    return time
  }

  /// The curve as a stretch of a mapping, for a range of the take's samples.
  func stretch(_ range: Range<Int64>, ratio: Double) -> BackupMapping.Stretch {
    BackupMapping.Stretch(
      start: range.lowerBound, end: range.upperBound,
      knots: knots.map { .init(take: $0.time, backup: ($0.time + $0.delay) * ratio) })
  }

  private func segment(at time: Double) -> Int {
    max(0, (knots.dropLast().lastIndex { $0.time <= time }) ?? 0)
  }
}
