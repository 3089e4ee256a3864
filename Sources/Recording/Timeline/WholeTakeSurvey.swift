/// Collects data on a sender's clocks over a whole stream, for a line that no wandering path bends.
///
/// Sender reports relate RTP time to the sender's wall clock without the network in between. That clock and ours
/// diverge evenly, so the lowest arrivals against it lie on a straight line, however the path's delay varies in
/// between.
struct WholeTakeSurvey: Sendable {
  /// Seconds between two knots; the pairs on both sides of a knot determine its position.
  private static let knotInterval = 5.0
  private static let smoothing = 30.0
  /// Minimum number of pairs near a knot, and of the whole stream.
  private static let fewestNear = 8
  private static let greatestNear = 240
  private static let fewestPairs = 30
  /// Shortest stream that is worth a survey, in seconds.
  private static let shortest = 60.0
  /// Maximum divergence of a machine's wall clock from ours: NTP's limit plus a bad crystal without it.
  private static let greatestRate = 100e-6
  /// Smallest deviation that justifies another line, in seconds.
  private static let leastMove = 0.002
  /// Maximum number of pairs: half a day at one per second.
  private static let greatestPairs = 50_000
  /// Maximum scatter of pairs about their line, in seconds.
  private static let greatestScatter = 0.003

  /// RTP time and the sender's NTP time.
  private var pairs: [EnvelopePoint] = []
  /// The fastest packet of each second: its end, and its arrival minus that.
  private var quickest: [EnvelopePoint] = []
  private var second = -1
  private var placed: [(time: Double, media: Double)] = []
  /// The path at its best, and its largest bound, in seconds.
  private var way: (roundTrip: Double, waiting: Double, bound: Double)?

  mutating func observe(report senderTime: Double, media: Double) {
    guard pairs.count < WholeTakeSurvey.greatestPairs else { return }
    pairs.append(EnvelopePoint(media: media, residual: senderTime - media))
  }

  mutating func observe(packetEndingAt media: Double, arrival: Double) {
    let bin = Int(max(0, min(1e9, arrival)))
    let point = EnvelopePoint(media: media, residual: arrival - media)
    if bin > second {
      second = bin
      quickest.append(point)
    } else if let last = quickest.last, point.residual < last.residual {
      quickest[quickest.count - 1] = point
    }
  }

  /// Records the placement by the rolling estimate of `clock`, about once per second.
  mutating func note(media: Double, placedAt time: Double, by clock: SenderClock) {
    if let last = placed.last, time - last.time < 1 { return }
    placed.append((time, media))
    guard let now = clock.way else { return }
    let known = way ?? now
    way = (min(known.roundTrip, now.roundTrip), max(known.waiting, now.waiting), max(known.bound, now.bound))
  }

  mutating func insert(standstill seconds: Double, at media: Double) {
    for index in pairs.indices { pairs[index].insert(standstill: seconds, at: media) }
    for index in quickest.indices { quickest[index].insert(standstill: seconds, at: media) }
  }

  /// The line, if it is known and the rolling estimate deviated from it by more than the line's own possible bend;
  /// and that deviation in seconds.
  var better: (line: WholeTakeLine, distance: Double)? {
    guard let (line, bend) = line else { return nil }
    let distance = placed.reduce(0) { max($0, abs(line.captureTime(atMedia: $1.media) - $1.time)) }
    return distance > max(WholeTakeSurvey.leastMove, bend) ? (line, distance) : nil
  }

  private var line: (line: WholeTakeLine, bend: Double)? {
    guard let way, pairs.count >= WholeTakeSurvey.fewestPairs, let first = pairs.first, let last = pairs.last,
      last.media - first.media >= WholeTakeSurvey.shortest, let shape = shape(from: first.media, to: last.media)
    else { return nil }
    let ways = quickest.map { point in
      EnvelopePoint(media: point.media, residual: point.residual - shape.offset(at: point.media))
    }
    guard let floor = LowerLine(under: ways, greatestSlope: WholeTakeSurvey.greatestRate) else { return nil }
    let knots = shape.knots.map { knot in
      WholeTakeLine.Knot(
        media: knot.media,
        captured: knot.media + knot.residual + floor.value(at: knot.media) - way.waiting - way.roundTrip / 2)
    }
    let bend = shape.scatter + floor.uncertainty
    return WholeTakeLine(knots: knots, errorBound: way.bound + bend).map { ($0, bend) }
  }

  /// The sender's wall clock minus RTP time, linear between knots.
  private struct Shape {
    var knots: [EnvelopePoint]
    /// Scatter of the pairs about it, in seconds.
    var scatter: Double

    func offset(at media: Double) -> Double {
      var (low, high) = (0, knots.count - 1)
      while high - low > 1 {
        let middle = (low + high) / 2
        if knots[middle].media <= media { low = middle } else { high = middle }
      }
      let (left, right) = (knots[low], knots[high])
      let slope = (right.residual - left.residual) / (right.media - left.media)
      return left.residual + slope * (media - left.media)
    }
  }

  private func shape(from first: Double, to last: Double) -> Shape? {
    var knots: [EnvelopePoint] = []
    let pairs = pairs.sorted { $0.media < $1.media }
    var near = 0..<0
    let count = max(2, Int((last - first) / WholeTakeSurvey.knotInterval) + 1)
    for index in 0..<count {
      let media = first + (last - first) * Double(index) / Double(count - 1)
      let begin = pairs[near.lowerBound...].firstIndex { $0.media >= media - WholeTakeSurvey.smoothing } ?? pairs.count
      let end = pairs[max(begin, near.upperBound)...].firstIndex { $0.media > media + WholeTakeSurvey.smoothing }
      near = begin..<(end ?? pairs.count)
      guard near.count >= WholeTakeSurvey.fewestNear, near.count <= WholeTakeSurvey.greatestNear,
        let line = TheilSen.fit(Array(pairs[near]))
      else { return nil }
      var levels = pairs[near].map { $0.residual - line.slope * ($0.media - media) }
      guard let level = TheilSen.median(&levels) else { return nil }
      knots.append(EnvelopePoint(media: media, residual: level))
    }
    let shape = Shape(knots: knots, scatter: 0)
    var distances = pairs.map { abs($0.residual - shape.offset(at: $0.media)) }
    guard let scatter = TheilSen.median(&distances), scatter < WholeTakeSurvey.greatestScatter else { return nil }
    return Shape(knots: knots, scatter: scatter)
  }
}

/// The capture times of a stream's samples, from the data of a whole take: linear between knots some seconds apart.
package struct WholeTakeLine: Hashable, Sendable, Codable {
  struct Knot: Hashable, Sendable, Codable {
    var media: Double
    /// In seconds from the take's zero.
    var captured: Double
  }

  /// At least two, with both times ascending.
  let knots: [Knot]
  /// Half width of the interval around it that contains the truth, in seconds.
  let errorBound: Double

  /// Nil if the knots do not form a valid line.
  init?(knots: [Knot], errorBound: Double) {
    guard knots.count > 1 else { return nil }
    for (left, right) in zip(knots, knots.dropFirst())
    where right.media <= left.media || right.captured <= left.captured {
      return nil
    }
    self.knots = knots
    self.errorBound = errorBound
  }

  /// The piece that applies at a position, by `key` of its knots; the first and the last extend beyond their ends.
  private func piece(at place: Double, by key: KeyPath<Knot, Double>) -> (from: Knot, slope: Double) {
    var (low, high) = (0, knots.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if knots[middle][keyPath: key] <= place { low = middle } else { high = middle }
    }
    let (left, right) = (knots[low], knots[high])
    return (left, (right.captured - left.captured) / (right.media - left.media))
  }
}

extension WholeTakeLine: CaptureLine {
  package var timeConstant: Double { Placement.usualTimeConstant }

  package func captureTime(atMedia media: Double) -> Double {
    let (from, slope) = piece(at: media, by: \.media)
    return from.captured + (media - from.media) * slope
  }

  package func media(at time: Double) -> Double {
    let (from, slope) = piece(at: time, by: \.captured)
    return from.media + (time - from.captured) / slope
  }

  package func slope(at time: Double) -> Double { piece(at: time, by: \.captured).slope - 1 }
}
