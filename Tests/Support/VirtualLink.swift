import Glibc

/// A path through a network in virtual time: when a packet arrives that is sent now, or never.
package struct VirtualLink: Sendable {
  /// How waiting in queues is spread.
  package enum Jitter: Hashable, Sendable {
    /// Evenly between 0 and this many seconds.
    case uniform(Double)
    /// With this mean: mostly short, now and then long.
    case exponential(Double)
  }

  /// One way without waiting, in seconds.
  package var delay: Double
  package var jitter: Jitter
  /// Share of packets that are lost, 0 to 1.
  package var loss: Double
  /// Mean length of a burst of losses in packets; 1 means that losses do not know each other (Gilbert's model).
  package var burst: Double
  /// Share of packets that arrive twice.
  package var duplication: Double
  /// How long a sender keeps packets for retransmission, in seconds; 0 means that nobody asks again.
  package var repair: Double
  private var random: SeededRandom
  private var isInBurst = false

  package init(
    delay: Double = 0.02, jitter: Jitter = .uniform(0), loss: Double = 0, burst: Double = 1, duplication: Double = 0,
    repair: Double = 3, seed: UInt64 = 1
  ) {
    self.delay = delay
    self.jitter = jitter
    self.loss = loss
    self.burst = burst
    self.duplication = duplication
    self.repair = repair
    random = SeededRandom(seed)
  }

  /// Waiting of one packet, in seconds.
  package mutating func waiting() -> Double {
    switch jitter {
    case .uniform(let most): random.unit() * most
    case .exponential(let mean): -mean * log(1 - random.unit())
    }
  }

  /// A measurement of the round trip.
  package mutating func roundTrip() -> Double { 2 * delay + waiting() + waiting() }

  /// When a packet that is sent at `time` arrives, once for each copy; asked again, if lost, once per round trip.
  package mutating func arrivals(of time: Double) -> [Double] {
    var sent = time
    while isLost() {
      // The next packet shows the hole, 10 ms of grace, the request's way, and the sender's answer.
      sent += 2 * delay + 0.03
      guard sent - time < repair else { return [] }
    }
    let arrival = sent + delay + waiting()
    return random.unit() < duplication ? [arrival, arrival + 0.001] : [arrival]
  }

  private mutating func isLost() -> Bool {
    guard loss > 0 else { return false }
    guard burst > 1 else { return random.unit() < loss }
    if isInBurst {
      if random.unit() < 1 / burst { isInBurst = false }
    } else if random.unit() < loss / (1 - loss) / burst {
      isInBurst = true
    }
    return isInBurst
  }
}
