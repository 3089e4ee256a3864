import Music

/// The gaps of a track, with their causes.
struct GapList: Sendable {
  /// An encoder's packets are multiples of 2.5 ms: a gap that is concealed but for less is concealed.
  private static let rounding: Int64 = 120

  private(set) var gaps: [Gap] = []
  /// When the connection was away.
  var path = Outages()
  /// When the recorder could not write.
  var recorder = Outages()
  /// When the recorder stood still. What it read afterwards has its right time, so only what never came is its fault.
  var standstills = Outages()

  /// Adds a gap from `start` to `end` of the time line, of which concealment filled `concealed` samples.
  ///
  /// What the stream shows as loss or standstill is the recorder's or the connection's fault if one of them was away.
  mutating func add(from start: Int64, to end: Int64, cause: Gap.Cause, concealed: Int64) {
    guard end > start else { return }
    let (from, to) = (Double(start) / SenderClock.rate, Double(end) / SenderClock.rate)
    var cause = cause
    if cause != .undecodable {
      if recorder.overlap(from, to) || cause != .captureStall && standstills.overlap(from, to) {
        cause = .recorder
      } else if path.overlap(from, to) {
        cause = .disconnected
      }
    }
    gaps.append(
      Gap(
        start: SamplePosition(start), length: SamplePosition(end - start), cause: cause,
        isConcealed: end - start - concealed < GapList.rounding))
  }
}

/// When a track's connection was away, in seconds from the take's zero.
struct Outages: Hashable, Sendable {
  private var ended: [ClosedRange<Double>] = []
  private var since: Double?

  mutating func note(isUp: Bool, at time: Double) {
    if isUp {
      if let since { ended.append(since...max(since, time)) }
      since = nil
    } else if since == nil {
      since = time
    }
  }

  /// True where the connection was away at some instant between `start` and `end`.
  func overlap(_ start: Double, _ end: Double) -> Bool {
    if let since, since <= end { return true }
    return ended.contains { $0.lowerBound <= end && $0.upperBound >= start }
  }
}
