import Machines

/// How long after its sending a source has to be played so that its packets are there in time.
///
/// A packet's transit is its arrival minus its timestamp, from an origin that nobody knows. What counts is the spread:
/// the delay is to lie above nearly all transits of the last ten seconds. One late packet in ten seconds is not waited
/// for; when it happens again within another half second, the delay rises at once, and falls when ten seconds went by
/// without.
struct JitterDelay: Sendable {
  /// Limits of the delay above the quickest packet, in seconds.
  struct Limits: Hashable, Sendable {
    var minimum: Double
    var start: Double
    var maximum: Double

    init(_ configuration: LiveMixer.Configuration) {
      minimum = min(max(configuration.minimumDelay.seconds, 0), 0.5)
      maximum = min(max(configuration.maximumDelay.seconds, minimum), 0.5)
      start = min(max(configuration.startDelay.seconds, minimum), maximum)
    }
  }

  private struct Bucket {
    var index: Int64
    var lowest: Double
    var highest: Double
  }

  /// Seconds of a bucket.
  private static let bucket = 0.5
  /// Buckets that count: ten seconds.
  private static let buckets: Int64 = 20
  /// Seconds for which the start delay is kept at least.
  private static let youth = 2.0
  /// Seconds above the highest transit: what the buckets did not show, and the pace's swing about its target.
  private static let margin = 0.004
  /// Seconds above the quickest transit that still count.
  private static let greatest = 1.0

  private let limits: Limits
  private var window: [Bucket] = []
  private var first: Double?
  private var newest = 0.0

  init(_ limits: Limits) {
    self.limits = limits
  }

  /// Takes a packet's transit; `time` is its arrival, both in seconds from the source's origin.
  mutating func add(transit: Double, at time: Double) {
    guard transit.magnitude < 1e6, time.magnitude < 1e9 else { return }
    // So late is no jitter; when it stays, the source begins anew.
    if let lowest, transit - lowest > JitterDelay.greatest { return }
    first = first ?? time
    newest = max(newest, time)
    let index = Int64((time / JitterDelay.bucket).rounded(.down))
    if let last = window.indices.last, window[last].index >= index {
      window[last].lowest = min(window[last].lowest, transit)
      window[last].highest = max(window[last].highest, transit)
    } else {
      window.append(Bucket(index: index, lowest: transit, highest: transit))
      window.removeAll { $0.index <= index - JitterDelay.buckets }
    }
  }

  /// The quickest transit, nil before the first packet.
  var lowest: Double? { window.lazy.map(\.lowest).min() }

  /// The transit that is to be allowed for, in seconds; nil before the first packet.
  var wanted: Double? {
    guard let lowest, let first else { return nil }
    var (highest, second) = (-Double.infinity, -Double.infinity)
    for bucket in window {
      if bucket.highest > highest {
        (highest, second) = (bucket.highest, highest)
      } else {
        second = max(second, bucket.highest)
      }
    }
    let spread = (second.isFinite ? second : highest) + JitterDelay.margin - lowest
    let least = newest - first < JitterDelay.youth ? limits.start : limits.minimum
    return lowest + min(max(spread, least), limits.maximum)
  }

  /// By how much a delay of `delay` exceeds what is wanted beyond all measure.
  func isGrosslyDeep(_ delay: Double) -> Bool {
    wanted.map { delay - $0 > limits.maximum } ?? false
  }
}
