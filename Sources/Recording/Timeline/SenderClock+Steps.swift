extension SenderClock {
  /// A lasting change of arrivals by this much is a step even if the sender says nothing, in seconds: networks rarely
  /// change their way by so much, stalled microphones often do.
  private static let unannouncedStep = 0.2
  /// How long arrivals must keep to the new line, in seconds.
  private static let persistence = 2.0
  /// The same for a step that the sender's own pairs show.
  private static let announcedPersistence = 1.0
  /// How long an announcement counts, in seconds: as long as packets from before it are remembered.
  private static let announcementSpan = 5.0
  /// Fewest packets that must keep to a line.
  private static let fewestPackets = 10
  /// Fine bins (seconds) that do not count for the old line.
  private static let excludedBins = 4

  /// Looks for a step of the RTP clock in the last seconds; the caller splits the stream there and starts a new clock.
  package func step(at now: Double) -> ClockStep? {
    guard let last = history.recent.last, now - last.arrival < SenderClock.persistence else { return nil }
    return announcedStep(at: now, last: last) ?? unannouncedStep(last: last)
  }

  /// A step that the sender's own pairs show, and arrivals do not deny. The pairs say when it was, so that packets on
  /// either side can be compared, from a stream's first seconds on.
  private func announcedStep(at now: Double, last: ArrivalHistory.Entry) -> ClockStep? {
    guard let announcement = references.announcement, now - announcement.until < SenderClock.announcementSpan,
      last.arrival - announcement.until >= SenderClock.announcedPersistence
    else { return nil }
    let recent = history.recent
    let before = levels(of: recent.prefix { $0.arrival <= announcement.after })
    let after = levels(of: recent.drop { $0.arrival < announcement.until })
    guard before.count >= SenderClock.fewestPackets, after.count >= SenderClock.fewestPackets, let old = before.min(),
      let new = after.min()
    else { return nil }
    let size = new - old
    guard size * announcement.size > 0, abs(size) >= abs(announcement.size) / 2 else { return nil }
    return ClockStep(sequence: start(of: size, from: old, in: recent), size: size)
  }

  /// A step of which the sender says nothing: it must be large and last.
  private func unannouncedStep(last: ArrivalHistory.Entry) -> ClockStep? {
    guard let old = envelope.level(slope: slope, excluding: SenderClock.excludedBins) else { return nil }
    let recent = history.recent
    guard let first = recent.first, last.arrival - first.arrival >= SenderClock.persistence else { return nil }
    let tail = recent.drop { $0.arrival < last.arrival - SenderClock.persistence }
    let levels = levels(of: tail)
    guard levels.count >= SenderClock.fewestPackets, let lowest = levels.min() else { return nil }
    let size = lowest - old
    guard abs(size) >= SenderClock.unannouncedStep else { return nil }
    // The sender has spoken since and its clocks still agree: then it is the network that changed.
    if let media = references.latestMedia, let begin = tail.first, media > begin.point.media { return nil }
    return ClockStep(sequence: start(of: size, from: old, in: recent), size: size)
  }

  private func levels(of entries: ArraySlice<ArrivalHistory.Entry>) -> [Double] {
    entries.map { $0.point.residual - slope * $0.point.media }
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
