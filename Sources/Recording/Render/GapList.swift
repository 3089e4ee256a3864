import Music

/// The gaps of a track, with their causes.
struct GapList: Sendable, Codable {
  /// Packets are multiples of 2.5 ms: a gap counts as concealed if less than this is missing.
  private static let rounding: Int64 = 120

  private(set) var gaps: [Gap] = []
  /// When the connection was down.
  var path = Outages()
  /// When the recorder could not write.
  var recorder = Outages()
  /// When the recorder stalled. Packets it read afterwards have correct times, so only packets that never came are
  /// its fault.
  var standstills = Outages()

  /// Adds a gap from `start` to `end` of the time line, of which concealment filled `concealed` samples.
  ///
  /// A loss or standstill of the stream is attributed to the recorder or the connection if one of them was down.
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

/// When a track's connection was down, in seconds from the take's zero.
struct Outages: Hashable, Sendable, Codable {
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

  /// True if the connection was down at any time between `start` and `end`.
  func overlap(_ start: Double, _ end: Double) -> Bool {
    if let since, since <= end { return true }
    return ended.contains { $0.lowerBound <= end && $0.upperBound >= start }
  }
}
