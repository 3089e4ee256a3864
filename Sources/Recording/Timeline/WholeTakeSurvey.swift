/// Gathers what a whole stream tells of its sender's clocks, for a line that no wandering path bends.
///
/// Sender reports tie RTP time to the sender's wall clock without the network in between. That clock and ours part evenly; so
/// the lowest arrivals against it lie on a straight line, however the path's delay rises and falls in between.
struct WholeTakeSurvey: Sendable {
  /// Seconds between two knots, and what pairs before and behind one say where it lies.
  private static let knotInterval = 5.0
  private static let smoothing = 30.0
  /// Fewest pairs that say it, and of the whole stream.
  private static let fewestNear = 8
  private static let greatestNear = 240
  private static let fewestPairs = 30
  /// Shortest stream of which it says more than its last minute, in seconds.
  private static let shortest = 60.0
  /// By how much a machine's wall clock and ours part at most: what NTP keeps, and a bad crystal without it.
  private static let greatestRate = 100e-6
  /// A distance that is worth another line, in seconds.
  private static let leastMove = 0.002
  /// Pairs that are taken: half a day of one a second.
  private static let greatestPairs = 50_000
  /// Scatter of pairs about their line that is too much to follow, in seconds.
  private static let greatestScatter = 0.003

  /// RTP time and the sender's NTP time.
  private var pairs: [EnvelopePoint] = []
  /// The quickest packet of each second: its end, and its arrival less that.
  private var quickest: [EnvelopePoint] = []
  private var second = -1
  private var placed: [(time: Double, media: Double)] = []
  /// The path at its best, and the greatest bound of a way of it, in seconds.
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

  /// Notes where the rolling estimate of `clock` placed something, about once a second.
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

  /// The line, where it is known and the rolling estimate lay further from it than it may bend itself; and how far that was,
  /// in seconds.
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

  /// The sender's wall clock less RTP time, straight between knots.
  private struct Shape {
    var knots: [EnvelopePoint]
    /// How far the pairs lie from it, in seconds.
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

/// When a stream's samples were captured, by all that a whole take tells of it: straight between knots some seconds apart.
package struct WholeTakeLine: Hashable, Sendable {
  struct Knot: Hashable, Sendable {
    var media: Double
    /// In seconds from the take's zero.
    var captured: Double
  }

  /// At least two, both times growing.
  let knots: [Knot]
  /// Half width of the interval around it in which the truth lies, in seconds.
  let errorBound: Double

  /// Nil where the knots are no line that could be followed.
  init?(knots: [Knot], errorBound: Double) {
    guard knots.count > 1 else { return nil }
    for (left, right) in zip(knots, knots.dropFirst())
    where right.media <= left.media || right.captured <= left.captured {
      return nil
    }
    self.knots = knots
    self.errorBound = errorBound
  }

  /// The piece that holds at a place, by `key` of its knots; the first and the last go on beyond their ends.
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
