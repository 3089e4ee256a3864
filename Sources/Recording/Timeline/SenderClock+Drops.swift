/// Where drops would have been noticed.
///
/// A microphone or a machine without time leaves out sound that RTP time does not count. This shows in two ways: the
/// sender's clocks are further apart in its next report or capture time, and everything sent later arrives later. Before
/// the first reading of the sender's clocks and behind the last one, only arrivals can tell: a packet that came as fast
/// as those before shows that nothing was left out in between. If packets became slower there, a drop, a slower path
/// and a queue look the same.
extension SenderClock {
  /// Since when drops show, and where they do not.
  struct DropWitness: Sendable, Codable {
    /// Maximum number of stretches in doubt; later ones are joined.
    private static let capacity = 64

    /// Media time from which drops show, in seconds; nil before the first reading of the sender's clocks.
    var since: Double?
    /// True once arrivals on both sides of the first reading have been compared.
    var isSettled = false
    /// Media times between which the sender's clocks diverged, and arrivals neither confirmed nor refuted a drop.
    private(set) var doubtful: [ClosedRange<Double>] = []

    mutating func add(doubtful range: ClosedRange<Double>) {
      guard doubtful.count == DropWitness.capacity, let last = doubtful.last else { return doubtful.append(range) }
      let joined = min(last.lowerBound, range.lowerBound)...max(last.upperBound, range.upperBound)
      doubtful[doubtful.count - 1] = joined
    }

    mutating func insert(standstill seconds: Double, at media: Double, isAnnounced: Bool) {
      // What the readings since the first announce lies behind that one.
      if !isAnnounced, let first = since, first > media { since = first + seconds }
      for index in doubtful.indices where doubtful[index].lowerBound > media {
        doubtful[index] = doubtful[index].lowerBound + seconds...doubtful[index].upperBound + seconds
      }
    }
  }

  /// A packet this much slower than the fastest may stand behind a drop, in seconds: half of the smallest drop that
  /// reports show.
  private static let leastRise = 0.004
  /// Seconds before a packet counts as undelayed: the drift was estimated twice by then.
  private static let fewestSeconds = 12
  /// Seconds before a packet of which each is looked at: no less than the render waits where nothing is known.
  private static let comparedSeconds = 4
  /// Number of packets on either side of an announcement that may refute it.
  private static let refuters = 50

  /// The media times between which no drop of 8 ms or more goes unnoticed, in seconds; nil if the sender tells nothing of
  /// its clocks.
  var dropsSeen: ClosedRange<Double>? {
    guard let from = witness.since, let told = references.witnessedUntil else { return nil }
    return from...max(from, told, lastUndelayed(since: told) ?? told)
  }

  /// Notes the stretch of an unconfirmed announcement, unless arrivals refute it.
  mutating func doubt(_ announcement: CaptureReferences.Announcement) {
    let start = min(announcement.after, announcement.sentBefore)
    guard announcement.size(slope: slope) > SenderClock.leastRise, start.isFinite, start <= announcement.until else {
      return
    }
    let recent = history.recent
    let before = recent.prefix { !$0.point.isBehind(start) }.suffix(SenderClock.refuters)
    let behind = recent.drop { !$0.point.isBehind(announcement.until) }.prefix(SenderClock.refuters)
    if before.count >= SenderClock.fewestPackets, behind.count >= SenderClock.fewestPackets,
      let old = levels(of: before).min(), let new = levels(of: behind).min(), new - old < SenderClock.leastRise
    {
      return
    }
    witness.add(doubtful: start...announcement.until)
  }

  /// End of the last packet that arrived as fast as those up to the media time `told`; nil if there is none.
  private func lastUndelayed(since told: Double) -> Double? {
    let recent = history.recent
    let before = recent.prefix { !$0.point.isBehind(told) }
    guard before.count >= SenderClock.fewestPackets, let lowest = levels(of: before).min() else { return nil }
    return recent[before.endIndex...].last { abs(level(of: $0) - lowest) < SenderClock.leastRise }?.point.media
  }

  /// End of the newest packet that the sender had sent when it wrote a report for the media time `media`.
  ///
  /// Nothing is faster than the fastest, so a packet that arrived by the time at which such a report could have arrived
  /// at the earliest was sent before it. The report's own media time proves nothing: during a standstill, senders
  /// extrapolate it.
  func newestPacket(sentBeforeReportOf media: Double, arrivingAt arrival: Double) -> Double {
    guard let level = envelope.level(slope: slope) else { return -.infinity }
    let fastest = min(level + slope * media, references.quickestReport ?? .infinity)
    let latest = min(arrival, media + fastest)
    return history.recent.last { $0.arrival <= latest }?.point.media ?? -.infinity
  }

  /// To be called after each reading of the sender's clocks.
  ///
  /// - Parameter captured: the media time of a capture time; nil for a report.
  mutating func noteFirstWitness(at captured: Double? = nil) {
    guard !witness.isSettled, let told = references.latestMedia else { return }
    guard let first = witness.since else {
      // What was left out before it does not show in the next one. A report's own media time may be behind that of packets
      // that came earlier; a capture time is that of its packet's first sample.
      witness.since = captured ?? max(told, history.recent.last?.point.media ?? told)
      return
    }
    witness.isSettled = true
    let recent = history.recent
    let before = recent.prefix { !$0.point.isBehind(first) }
    let behind = recent[before.endIndex...]
    guard before.count >= SenderClock.fewestPackets, behind.count >= SenderClock.fewestPackets,
      let lowest = levels(of: before).min(), let later = levels(of: behind).min(),
      abs(later - lowest) < SenderClock.leastRise,
      let undelayed = before.first(where: { level(of: $0) - lowest < SenderClock.leastRise })
    else { return }
    witness.since = undelayed.point.media
  }

  /// True if a packet of which the last sample ends at `media` seconds, and which arrived at `arrival`, was as quick as the
  /// quickest of the last seconds, and these were as quick as those of the last half minute: no drop and no other step lies
  /// in between.
  ///
  /// False while too little is known of the sender's clock, and for a sender that tells nothing about it.
  func isUndelayed(endingAt media: Double, arrival: Double) -> Bool {
    guard steady == nil, envelope.fine.count >= SenderClock.fewestSeconds,
      let levels = envelope.recentLevels(SenderClock.comparedSeconds, slope: slope),
      // Half of the smallest drop that capture times show.
      arrival - media - slope * media - levels.lowerBound < SenderClock.leastRise / 2,
      levels.upperBound - levels.lowerBound < SenderClock.leastRise, let level = envelope.level(slope: slope)
    else { return false }
    // Behind a drop, the seconds after it are as quick as each other.
    return levels.upperBound - level < SenderClock.leastRise
  }

  func level(of entry: ArrivalHistory.Entry) -> Double {
    entry.point.residual - slope * entry.point.media
  }
}
