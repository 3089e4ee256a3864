extension SenderClock {
  /// A lasting change of arrivals by this much is a step even if the sender says nothing, in seconds: networks rarely
  /// change their way by so much, stalled microphones often do.
  private static let unannouncedStep = 0.2
  /// How long arrivals must keep to the new line, in seconds.
  private static let persistence = 2.0
  /// The same for a step that the sender's own pairs show.
  private static let announcedPersistence = 1.0
  /// How long an announcement counts, in seconds.
  private static let announcementSpan = 10.0
  /// Fewest packets that must keep to the new line.
  private static let fewestPackets = 10
  /// Fine bins (seconds) that do not count for the old line.
  private static let excludedBins = 4

  /// Looks for a step of the RTP clock in the last seconds; the caller splits the stream there and starts a new clock.
  package func step(at now: Double) -> ClockStep? {
    guard let old = envelope.level(slope: slope, excluding: SenderClock.excludedBins) else { return nil }
    let recent = history.recent
    guard let last = recent.last, let first = recent.first, now - last.arrival < SenderClock.persistence else {
      return nil
    }
    let announced = references.suspectedStep.flatMap { now - $0.at < SenderClock.announcementSpan ? $0.size : nil }
    let persistence = announced == nil ? SenderClock.persistence : SenderClock.announcedPersistence
    guard last.arrival - first.arrival >= persistence else { return nil }
    let tail = recent.drop { $0.arrival < last.arrival - persistence }
    let levels = tail.map { $0.point.residual - slope * $0.point.media }
    guard levels.count >= SenderClock.fewestPackets, let lowest = levels.min() else { return nil }
    let size = lowest - old
    let threshold: Double
    if let announced, announced * size > 0 {
      threshold = min(SenderClock.unannouncedStep, abs(announced) / 2)
    } else {
      threshold = SenderClock.unannouncedStep
    }
    guard abs(size) >= threshold else { return nil }
    // The sender has spoken since and its clocks still agree: then it is the network that changed.
    if announced == nil, let media = references.latestMedia, let begin = tail.first, media > begin.point.media {
      return nil
    }
    return ClockStep(sequence: start(of: size, from: old, in: recent), size: size)
  }

  /// The first packet from which on all keep to the new line (a rise), or the first that lies on it (a fall).
  private func start(of size: Double, from old: Double, in recent: ArraySlice<ArrivalHistory.Entry>) -> Int64 {
    let middle = old + size / 2
    func isNew(_ entry: ArrivalHistory.Entry) -> Bool {
      let level = entry.point.residual - slope * entry.point.media
      return size > 0 ? level >= middle : level <= middle
    }
    if size < 0 { return recent.first(where: isNew)?.sequence ?? 0 }
    let lastOld = recent.lastIndex { !isNew($0) }
    let first = lastOld.map { $0 + 1 } ?? recent.startIndex
    return recent.indices.contains(first) ? recent[first].sequence : (recent.last?.sequence ?? 0)
  }
}
