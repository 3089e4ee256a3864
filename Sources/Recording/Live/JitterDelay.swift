import Machines

/// The playout delay of a source that lets its packets arrive in time.
///
/// A packet's transit is its arrival minus its timestamp, from an unknown origin, so only the spread matters. The
/// delay should exceed nearly all transits of the last ten seconds. A single late packet in ten seconds does not
/// change it. A second one in another half second raises it at once; it falls again after ten seconds without any.
///
/// Packets that had been waiting when the source began come one right after the other, each with a shorter transit than
/// the one before. They say nothing about the path.
struct JitterDelay: Sendable {
  /// Limits of the delay above the fastest packet, in seconds.
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

  /// Length of a bucket, in seconds.
  private static let bucket = 0.5
  /// Number of buckets considered: ten seconds.
  private static let buckets: Int64 = 20
  /// Minimum time for which the initial delay is kept, in seconds.
  private static let youth = 2.0
  /// Margin above the highest transit, in seconds: for what the buckets missed, and for the swing of the playout
  /// rate.
  private static let margin = 0.004
  /// Largest transit above the fastest that is considered, in seconds.
  private static let greatest = 1.0
  /// How much shorter a transit is if its packet was waiting together with the one before, in seconds.
  private static let backlogStep = 0.002
  /// Time after which no more waiting packets come, in seconds.
  private static let backlogPause = 0.025

  var limits: Limits
  private var window: [Bucket] = []
  private var first: Double?
  private var newest = 0.0
  /// True until a packet comes that was not waiting at the source's beginning.
  private(set) var isBacklog = true
  private var backlog = 0

  init(_ limits: Limits) {
    self.limits = limits
  }

  /// Adds a packet's transit; `time` is its arrival, both in seconds from the source's origin.
  mutating func add(transit: Double, at time: Double) {
    guard transit.magnitude < 1e6, time.magnitude < 1e9 else { return }
    // Later than this is not jitter; if it persists, the source restarts.
    if let lowest, transit - lowest > JitterDelay.greatest { return }
    if isBacklog, let lowest {
      isBacklog = transit < lowest - JitterDelay.backlogStep
      if isBacklog { (window, first, backlog) = ([], nil, backlog + 1) }
    }
    first = first ?? time
    newest = max(newest, time)
    let index = Int64(saturating: (time / JitterDelay.bucket).rounded(.down))
    if let last = window.indices.last, window[last].index >= index {
      window[last].lowest = min(window[last].lowest, transit)
      window[last].highest = max(window[last].highest, transit)
    } else {
      window.append(Bucket(index: index, lowest: transit, highest: transit))
      window.removeAll { $0.index <= index - JitterDelay.buckets }
    }
  }

  /// The fastest transit; nil before the first packet.
  var lowest: Double? { window.lazy.map(\.lowest).min() }

  /// True while packets that had been waiting are coming, at `time` in seconds from the source's origin.
  func isCatchingUp(at time: Double) -> Bool {
    isBacklog && backlog > 0 && time - newest < JitterDelay.backlogPause
  }

  /// True in the first seconds, when the fastest packet may not have come yet.
  var isYoung: Bool { first.map { newest - $0 < JitterDelay.youth } ?? true }

  /// The transit that all packets but single late ones kept, in seconds; nil before the first packet.
  var needed: Double? {
    var (highest, second) = (-Double.infinity, -Double.infinity)
    for bucket in window {
      if bucket.highest > highest {
        (highest, second) = (bucket.highest, highest)
      } else {
        second = max(second, bucket.highest)
      }
    }
    return second.isFinite ? second : highest.isFinite ? highest : nil
  }

  /// The transit to allow for, in seconds; nil before the first packet.
  var wanted: Double? {
    guard let lowest, let needed else { return nil }
    let least = isYoung ? limits.start : limits.minimum
    return lowest + min(max(needed + JitterDelay.margin - lowest, least), limits.maximum)
  }

  /// True if `delay` is excessively larger than wanted. A source that has just begun is better heard anew than late.
  func isGrosslyDeep(_ delay: Double) -> Bool {
    wanted.map { delay - $0 > (isYoung ? limits.start : limits.maximum) } ?? false
  }
}
