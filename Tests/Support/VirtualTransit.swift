import Glibc

/// The state of a path while it is used: its burst, its queue, its chance.
struct VirtualTransit {
  private let path: VirtualPath
  private let outages: [ClosedRange<Double>]
  private var random: SeededRandom
  private var isInBurst = false
  private var turn = 0.0
  private var freeAt = 0.0

  /// The times in `outages` (seconds) let nothing leave and nothing arrive.
  init(_ path: VirtualPath, outages: [ClosedRange<Double>], seed: UInt64) {
    self.path = path
    self.outages = outages
    random = SeededRandom(seed)
    guard path.burstShare > 0 else { return }
    isInBurst = random.unit() < path.burstShare
    turn = length()
  }

  /// When `bytes` that are sent at `time` arrive, and when their double does; nil for what does not. Times never fall.
  mutating func send(_ bytes: Int, at time: Double) -> (first: Double?, second: Double?) {
    var leaves = time
    if let rate = path.rate {
      let waiting = max(0, freeAt - time)
      guard waiting * rate / 8 + Double(bytes) <= Double(path.queue) else { return (nil, nil) }
      freeAt = max(freeAt, time) + Double(bytes) * 8 / rate
      leaves = freeAt
    }
    if path.burstShare > 0 {
      while turn <= leaves {
        isInBurst.toggle()
        turn += length()
      }
      if isInBurst { return (nil, nil) }
    }
    if path.loss > 0, random.unit() < path.loss { return (nil, nil) }
    var arrival = leaves + path.delay + waiting()
    if path.reordering > 0, random.unit() < path.reordering { arrival += path.detour }
    if outages.contains(where: { $0.contains(time) || $0.contains(arrival) }) { return (nil, nil) }
    let isDoubled = path.duplication > 0 && random.unit() < path.duplication
    return (arrival, isDoubled ? arrival + 0.001 : nil)
  }

  private mutating func waiting() -> Double {
    switch path.jitter {
    case .uniform(let most): most > 0 ? random.unit() * most : 0
    case .exponential(let mean): -mean * log(1 - random.unit())
    }
  }

  /// How long the state that just began lasts: exponential, as nothing in it remembers when it began.
  private mutating func length() -> Double {
    let mean = isInBurst ? path.burst : path.burst * (1 - path.burstShare) / path.burstShare
    return -mean * log(1 - random.unit())
  }
}
