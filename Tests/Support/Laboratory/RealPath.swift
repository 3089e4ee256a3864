import Glibc

/// The network between a musician of the laboratory and the recorder, in seconds and shares.
package struct RealPath: Sendable {
  /// A stretch of time in which nothing passes, in seconds from the scenario's beginning.
  package struct Standstill: Sendable {
    package var start: Double
    package var length: Double
    /// True where what came meanwhile is delivered at its end, false where it is lost.
    package var keeps: Bool

    package init(start: Double, length: Double, keeps: Bool) {
      (self.start, self.length, self.keeps) = (start, length, keeps)
    }
  }

  /// One way to the recorder, and back.
  package var up = 0.015
  package var down = 0.015
  /// The most that a packet is late, evenly spread.
  package var jitter = 0.002
  /// Share of packets that is lost, each way.
  package var loss = 0.0
  package var duplicates = 0.0
  /// Share of packets that are overtaken: they come up to 60 ms later.
  package var reordering = 0.0
  package var standstills: [Standstill] = []
  /// The way up rises and falls by so much, once in `wanderPeriod`.
  package var wander = 0.0
  package var wanderPeriod = 20.0

  package init() {}

  /// When what leaves at `time` arrives, in seconds from the scenario's beginning: never, once, or twice.
  func arrivals(of time: Double, isUp: Bool, _ random: inout SeededRandom) -> [Double] {
    var arrivals: [Double] = []
    let copies = isUp && random.unit() < duplicates ? 2 : 1
    for _ in 0..<copies {
      guard random.unit() >= loss else { continue }
      var delay = (isUp ? up : down) + random.unit() * jitter
      if isUp { delay += wander * (0.5 - 0.5 * cos(2 * .pi * time / wanderPeriod)) }
      if isUp, random.unit() < reordering { delay += 0.005 + random.unit() * 0.055 }
      if let arrival = passed(time + delay) { arrivals.append(arrival) }
    }
    return arrivals
  }

  private func passed(_ time: Double) -> Double? {
    guard let standstill = standstills.first(where: { time >= $0.start && time < $0.start + $0.length }) else {
      return time
    }
    // A queue empties in the order in which it was filled, a hundred times as fast.
    return standstill.keeps
      ? standstill.start + standstill.length + (time - standstill.start) / 100 : nil
  }
}
