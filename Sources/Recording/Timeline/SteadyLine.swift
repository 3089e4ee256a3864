import Glibc

/// The clock of a sender that tells nothing about it: no reports, no capture times, media times that may be rounded.
///
/// Its packets wait for a poll, a video frame or a busy machine, and only the quickest of them say anything. So the line
/// below them is held until a better one explains the seconds since far better: another drift, or another path. Waiting
/// times are taken as exponentially distributed, so a model is better by as many nats as there are seconds, times the
/// logarithm of the ratio of their mean waiting times.
struct SteadyLine: Sendable, Codable {
  /// Seconds until the line is held: fewer than the render waits before it places the first sample. And those without
  /// which there is no better one.
  private static let settling = 3
  private static let fewest = 8
  /// Seconds that are remembered: eight minutes.
  private static let capacity = 480
  /// Evidence, in nats, without which the line is held.
  private static let evidence = 20.0
  /// A line this near to the held one is the same, in seconds: five samples. So is one nearer than packets usually wait.
  private static let leastMove = 0.000_1
  /// How much quicker packets have to become for a lower line, in seconds: a constant error is less than a movement.
  private static let leastDrop = 0.000_5
  /// The line below `n` points is known to this many times their mean waiting time over `n`, with some to spare.
  private static let precision = 12.0
  /// Smallest change of the path that is followed, in seconds.
  private static let leastStep = 0.001
  /// Seconds that have to follow a longer path, since load can make everything late for a while; and a shorter one.
  private static let persistence = (longer: 30, shorter: 3)
  /// Packets this close to the one before came together with it, in seconds.
  private static let together = 0.002
  /// For a sender of bursts the same as `leastMove`: where its bursts end within a packet shifts for minutes, and says
  /// nothing about its clock.
  private static let burstMove = 0.025
  /// Seconds from which the drift of such a sender is believed.
  private static let burstPatience = 240
  /// Seconds over which the share of packets that came together is averaged.
  private static let habit = 8.0
  /// Smallest mean waiting time, in seconds: no arrival is read more precisely.
  private static let leastWaiting = 20e-6

  /// Change of the residual per second of media: the negative drift.
  private(set) var slope: Double
  /// The residual at media time 0; nil until the line is held.
  private(set) var level: Double?
  /// The quickest packets of the seconds since the path last changed.
  private var points: [EnvelopePoint] = []
  private var lastArrival: Double?
  /// Packets of the present second, and those that came together with the one before.
  private var packets = 0.0
  private var together = 0.0
  /// The share of such packets in the last seconds.
  private var burstShare = 0.0

  /// Begins with a drift that is known from before.
  init(slope: Double = 0) {
    self.slope = slope
  }

  /// Adds the arrival of a packet.
  mutating func note(arrival: Double) {
    packets += 1
    if let lastArrival, arrival - lastArrival < SteadyLine.together { together += 1 }
    lastArrival = arrival
  }

  /// Adds the quickest packet of the second that is over.
  mutating func add(_ point: EnvelopePoint) {
    burstShare += (together / max(1, packets) - burstShare) / SteadyLine.habit
    (packets, together) = (0, 0)
    points.append(point)
    if points.count > SteadyLine.capacity { points.removeFirst() }
    guard points.count >= SteadyLine.settling else { return }
    guard let level else { return self.level = lowest(points) }
    if points.count >= SteadyLine.fewest { follow(from: level, at: point.media) }
  }

  /// Modifies every point.
  mutating func change(_ body: (inout EnvelopePoint) -> Void) {
    for index in points.indices { body(&points[index]) }
  }

  private var isBursty: Bool { burstShare > 0.5 }
  private var leastMove: Double { isBursty ? SteadyLine.burstMove : SteadyLine.leastMove }

  private mutating func follow(from level: Double, at media: Double) {
    let waits = points.map { $0.residual - slope * $0.media - level }
    let count = Double(waits.count)
    let least = waits.min() ?? 0
    let held = SteadyLine.mean(waits, above: least)
    let step = SteadyLine.step(in: waits)
    let isLong = !isBursty || waits.count > SteadyLine.burstPatience
    let drift = isLong ? LowerLine(under: points, greatestSlope: SenderClock.greatestDrift) : nil
    let drifting =
      drift.map { line in SteadyLine.mean(points.map { $0.residual - line.value(at: $0.media) }, above: 0) }
      ?? .infinity
    let isDrift = drifting <= step.waiting
    let gain = count * log(held / min(drifting, step.waiting))
    if gain > SteadyLine.evidence, isDrift, let drift {
      let move = drift.value(at: media) - (level + slope * media)
      guard abs(move) > max(leastMove, drifting, SteadyLine.precision * drifting / count) else { return }
      self.level = drift.value(at: media) - drift.slope * media
      slope = drift.slope
    } else if gain > SteadyLine.evidence, abs(step.size) > max(leastMove, SteadyLine.leastStep),
      waits.count - step.index >= (step.size > 0 ? SteadyLine.persistence.longer : SteadyLine.persistence.shorter)
    {
      points.removeFirst(step.index)
      self.level = lowest(points)
    } else if least < -max(leastMove, SteadyLine.leastDrop, 2 * held), let lowest = lowest(points) {
      self.level = lowest
    }
  }

  /// The lowest line of the present slope.
  private func lowest(_ points: [EnvelopePoint]) -> Double? {
    points.lazy.map { $0.residual - slope * $0.media }.min()
  }

  private static func mean(_ waits: [Double], above least: Double) -> Double {
    let sum = waits.reduce(0) { $0 + abs($1 - least) }
    return max(leastWaiting, sum / Double(max(1, waits.count)))
  }

  /// The best explanation by a path that changed at one point.
  private static func step(in waits: [Double]) -> (index: Int, size: Double, waiting: Double) {
    var after = waits
    for index in after.indices.dropLast().reversed() { after[index] = min(after[index], after[index + 1]) }
    var best = (index: 0, size: 0.0, waiting: Double.infinity)
    let total = waits.reduce(0, +)
    var before = Double.infinity
    for index in waits.indices.dropFirst() {
      before = min(before, waits[index - 1])
      let floor = before * Double(index) + after[index] * Double(waits.count - index)
      let waiting = max(leastWaiting, (total - floor) / Double(waits.count))
      if waiting < best.waiting { best = (index, after[index] - before, waiting) }
    }
    return best
  }
}
