import Machines

/// One packet: when its last sample was due by the sender's clock, and how much later it arrived.
struct EnvelopePoint: Hashable, Sendable, Codable {
  /// End of the packet on the sender's media clock, in seconds from the stream's first packet.
  var media: Double
  /// Arrival on our clock minus `media`, in seconds: start of the sender + network + waiting.
  var residual: Double

  /// Half of the shortest packet, in seconds: media times closer than this are equal.
  static let grain = 0.001_25

  /// True if its packet begins at `start` or later.
  func isBehind(_ start: Double) -> Bool { media > start + EnvelopePoint.grain }

  /// Adjusts it for a standstill of RTP time for `seconds` at `start`: everything after that was captured later than
  /// its RTP time suggests.
  mutating func insert(standstill seconds: Double, at start: Double) {
    guard isBehind(start) else { return }
    media += seconds
    residual -= seconds
  }
}

/// The fastest packet of each second and of each eight seconds: arrivals without queueing delay.
struct LowerEnvelope: Sendable, Codable {
  /// The fastest packet so far of a second that is not over.
  private struct OpenBin: Codable {
    var bin: Int
    var point: EnvelopePoint
  }

  /// Length of a fine bin, in seconds; each contains tens of packets, the fastest of which hardly waited.
  private static let fineSpan = 1.0
  /// Fine bins per coarse bin.
  private static let finePerCoarse = 8
  /// Number of bins of each kind: a minute of fine ones, eight minutes of coarse ones.
  private static let capacity = 64
  /// Fine bins used for the current offset, so that a change of route is followed within half a minute.
  private static let recent = 32
  /// Number of bins from which the second lowest is used, and the lowest counts as an outlier.
  private static let trustsLowest = 8

  private(set) var fine: [EnvelopePoint] = []
  private(set) var coarse: [EnvelopePoint] = []
  private var current: OpenBin?
  private var coarseBest: EnvelopePoint?
  private var coarseCount = 0

  /// Adds a packet; returns true if this completes a fine bin.
  mutating func add(_ point: EnvelopePoint, at time: Double, slope: Double) -> Bool {
    let bin = Int(saturating: max(-1e9, min(1e9, (time / LowerEnvelope.fineSpan).rounded(.down))))
    guard let open = current else {
      current = OpenBin(bin: bin, point: point)
      return false
    }
    if bin <= open.bin {
      if point.residual < open.point.residual { current?.point = point }
      return false
    }
    close(open.point, slope: slope)
    current = OpenBin(bin: bin, point: point)
    return true
  }

  /// The level of the envelope at media time 0 for a line of `slope`, over the recent bins except the last
  /// `excluded`.
  func level(slope: Double, excluding excluded: Int = 0) -> Double? {
    var levels = fine.suffix(LowerEnvelope.recent + excluded).dropLast(excluded).map { $0.residual - slope * $0.media }
    if excluded == 0, let current { levels.append(current.point.residual - slope * current.point.media) }
    guard var lowest = levels.first else { return nil }
    var second = Double.infinity
    for level in levels.dropFirst() {
      if level < lowest {
        (lowest, second) = (level, lowest)
      } else if level < second {
        second = level
      }
    }
    // A packet cannot be early, but a wrong reading can make it seem so; with enough bins, the second lowest is as
    // good.
    return levels.count >= LowerEnvelope.trustsLowest ? second : lowest
  }

  /// The lowest and the highest level of the last `count` fine bins that are over and of the present one; nil without so
  /// many.
  func recentLevels(_ count: Int, slope: Double) -> ClosedRange<Double>? {
    guard let current, fine.count >= count else { return nil }
    var lowest = current.point.residual - slope * current.point.media
    var highest = lowest
    for point in fine.suffix(count) {
      let level = point.residual - slope * point.media
      (lowest, highest) = (min(lowest, level), max(highest, level))
    }
    return lowest...highest
  }

  /// Modifies every point.
  mutating func change(_ body: (inout EnvelopePoint) -> Void) {
    for index in fine.indices { body(&fine[index]) }
    for index in coarse.indices { body(&coarse[index]) }
    if var open = current {
      body(&open.point)
      current = open
    }
    if var best = coarseBest {
      body(&best)
      coarseBest = best
    }
  }

  private mutating func close(_ point: EnvelopePoint, slope: Double) {
    fine.append(point)
    if fine.count > LowerEnvelope.capacity { fine.removeFirst() }
    if let best = coarseBest, best.residual - slope * best.media <= point.residual - slope * point.media {
      coarseBest = best
    } else {
      coarseBest = point
    }
    coarseCount += 1
    guard coarseCount == LowerEnvelope.finePerCoarse, let best = coarseBest else { return }
    coarse.append(best)
    if coarse.count > LowerEnvelope.capacity { coarse.removeFirst() }
    (coarseBest, coarseCount) = (nil, 0)
  }
}

/// The straight line below points that touches them at the middle of their span: it follows the fastest packets,
/// since all others only wait longer.
struct LowerLine: Hashable, Sendable {
  private let begin: EnvelopePoint
  let slope: Double
  /// Possible error at the ends of the points' span, in seconds: the distance between the points it touches.
  let uncertainty: Double

  /// Assumed minimum scatter of the fastest points, in seconds.
  private static let leastScatter = 0.000_5

  /// Nil for fewer than three points, and if the line would be steeper than `greatestSlope`.
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
