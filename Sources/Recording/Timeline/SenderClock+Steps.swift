extension SenderClock {
  /// A lasting change of arrivals by this much is a step even if the sender says nothing, in seconds: networks rarely
  /// change their way by so much, stalled microphones often do.
  private static let unannouncedStep = 0.2
  /// How long arrivals must keep to the new line, in seconds.
  static let persistence = 2.0
  /// By how much less they may, because packets come one by one.
  private static let grain = 0.5
  /// At the end of a take nobody can wait so long; a change by this much, in seconds, is a step at once. No path holds
  /// packets for so long and then goes on as slowly.
  private static let obviousStep = 3.0
  /// The same for a step that the sender's own pairs show.
  private static let announcedPersistence = 1.0
  /// A sender that says once a second what its clocks show says it between whiles only where they have just parted.
  private static let regularly = 0.99
  /// By how much two readings of one small step may differ, in seconds, or as a share of it.
  private static let agreement = 0.003
  private static let relativeAgreement = 0.2
  /// A packet before a step may have waited for as long as the step is; where its size is known, those behind it show
  /// all of it, but for what readings differ by.
  private static let shareOfKnownStep = 0.85
  /// How far from a report packets show what held in front of it and behind it, in seconds.
  private static let nearness = 1.0
  /// Packets that scatter by less tell a step exactly, in seconds.
  private static let fineScatter = 0.001
  /// Smallest rise of the quickest packets that is a standstill, in seconds, and as a share of what was announced.
  private static let leastStair = 0.008
  private static let leastShare = 0.1
  /// Rises that are nearer to each other are one, in seconds: in front of a standstill the packets that waited least grow
  /// few.
  private static let landing = 0.2
  /// By how much all rises together may differ from what was announced, in seconds, and as a share of it.
  private static let stairsAgreement = 0.015
  private static let relativeStairsAgreement = 0.25
  /// Fewest packets that must keep to a line.
  private static let fewestPackets = 10
  /// The same at the end of a stream whose steps are of whole packets.
  private static let fewestLast = 4
  /// Fine bins (seconds) that do not count for the old line.
  private static let excludedBins = 4

  /// Looks for a step of the RTP clock in the last seconds; the caller moves what stood still, or splits the stream there
  /// and starts a new clock.
  ///
  /// - Parameter isEnd: no more packets come, so that what little there is of what the sender said must do.
  package func step(at now: Double, isEnd: Bool = false) -> ClockStep? {
    guard let last = history.recent.last, isEnd || now - last.arrival < SenderClock.persistence else { return nil }
    return announcedStep(last: last, isEnd: isEnd) ?? unannouncedStep(last: last, isEnd: isEnd)
      ?? (isEnd && hasStoodStill ? lastStandstill() : nil)
  }

  /// The first step that the sender's own pairs show and arrivals do not deny.
  ///
  /// A browser that is short of time leaves out several blocks within a second: the steps that follow one add to what
  /// arrivals show of it and take nothing away, so that each can be confirmed in its turn.
  private func announcedStep(last: ArrivalHistory.Entry, isEnd: Bool) -> ClockStep? {
    for announcement in references.announcements {
      guard isEnd || last.arrival - announcement.arrival >= SenderClock.announcedPersistence else { return nil }
      if let step = confirmed(announcement) { return step }
    }
    return nil
  }

  /// The pairs say when it was, so that packets on either side can be compared, from a stream's first seconds on.
  private func confirmed(_ announcement: CaptureReferences.Announcement) -> ClockStep? {
    let recent = history.recent
    let isSaidAtOnce =
      announcement.source == .absoluteCaptureTime
      && announcement.until - announcement.after < SenderClock.regularly
    let announced = announcement.size(slope: slope)
    // A report that leaves while RTP time stands still counts on from the packet before: its time is still to come.
    // Not so after a long one, through which reports run on.
    let isShort = announcement.source == .senderReport && announced < SenderClock.unannouncedStep
    let lead = isShort ? max(0, announced) : 0
    let after = announcement.after - lead
    let before = recent.prefix { !$0.point.isBehind(isSaidAtOnce ? announcement.until : after) }
    let behind = recent.drop { !$0.point.isBehind(announcement.until) }
    // Further away, other steps may be that nobody has followed yet.
    let near = before.drop { $0.point.media < (before.last?.point.media ?? 0) - SenderClock.nearness }
    let next = behind.prefix { $0.point.media < (behind.first?.point.media ?? 0) + SenderClock.nearness }
    guard near.count >= SenderClock.fewestPackets, next.count >= SenderClock.fewestPackets,
      let old = levels(of: near).min(), let new = levels(of: next).min(), let first = behind.first
    else { return nil }
    let size = new - old
    guard size * announced > 0, abs(size) >= abs(announced) / 2 else { return nil }
    let agrees = abs(size - announced) <= max(SenderClock.agreement, abs(announced) * SenderClock.relativeAgreement)
    if announcement.needsAgreement, !agrees { return nil }
    // Reports that ran on while RTP time stood still: the one behind speaks of an earlier time than the one before.
    guard announcement.isExact || agrees, announced > 0, announcement.after <= announcement.until,
      before.endIndex <= behind.startIndex
    else {
      return ClockStep(sequence: start(of: size, from: old, in: recent), size: size)
    }
    // Reports of some senders scatter by more than the quickest packets do; how much they do does not show where every one
    // of them tells of a standstill.
    let isRough =
      announcement.source == .senderReport
      && scatter(near, next) < max(SenderClock.fineScatter, references.reportScatter ?? 0)
    let doubtful = announcement.source == .senderReport ? after...announcement.until : nil
    if isRough, let doubtful, let step = stairs(until: behind.startIndex, announced: announced, doubtful) {
      return step
    }
    let length = isRough ? size : announced
    // The second pair is of the first packet behind.
    var sequence = first.sequence
    if !isSaidAtOnce {
      sequence = min(
        sequence,
        start(
          of: length, from: old, in: recent[before.endIndex...behind.startIndex],
          share: SenderClock.shareOfKnownStep))
    }
    guard let last = recent.last(where: { $0.sequence < sequence }) else { return nil }
    return ClockStep(
      sequence: sequence, size: length, standstill: last.point.media, doubtful: doubtful)
  }

  /// A step of which the sender says nothing: it must be large and last.
  private func unannouncedStep(last: ArrivalHistory.Entry, isEnd: Bool) -> ClockStep? {
    guard let old = envelope.level(slope: slope, excluding: SenderClock.excludedBins) else { return nil }
    let recent = history.recent
    let tail = history.since(last.arrival - SenderClock.persistence)
    // What a path held for seconds comes all at once: it must be over before the line is looked at.
    guard let first = tail.first, recent.startIndex < tail.startIndex,
      isEnd || last.arrival - first.arrival >= SenderClock.persistence - SenderClock.grain
    else { return nil }
    let levels = levels(of: tail)
    guard levels.count >= SenderClock.fewestPackets, let lowest = levels.min() else { return nil }
    let size = lowest - old
    guard abs(size) >= (isEnd ? SenderClock.obviousStep : SenderClock.unannouncedStep) else { return nil }
    // The sender has spoken since and its clocks still agree: then it is the network that changed.
    if let media = references.latestMedia, let begin = tail.first, media > begin.point.media { return nil }
    return ClockStep(sequence: start(of: size, from: old, in: recent), size: size)
  }

  /// A standstill behind the last report of a sender that stood still before: packets that were left out show as whole
  /// packets' lengths in the arrivals of all behind them.
  private func lastStandstill() -> ClockStep? {
    guard let media = references.latestMedia else { return nil }
    let recent = history.recent
    let before = recent.prefix { !$0.point.isBehind(media) }
    let behind = recent[before.endIndex...]
    guard before.count >= SenderClock.fewestPackets, let old = levels(of: before).min(),
      behind.count >= SenderClock.fewestLast, let newest = levels(of: behind.suffix(SenderClock.fewestLast)).min(),
      // RTP times of a sender may also go back.
      let last = behind.last, last.point.isBehind(media)
    else { return nil }
    let begin = start(of: newest - old, from: old, in: behind, share: SenderClock.shareOfKnownStep)
    let tail = behind.drop { $0.sequence < begin }
    let lengths = zip(tail, tail.dropFirst()).map { $1.point.media - $0.point.media }
    guard tail.count >= SenderClock.fewestLast, let length = lengths.min(), length > EnvelopePoint.grain,
      let size = levels(of: tail).min().map({ $0 - old }), let former = recent.last(where: { $0.sequence < begin })
    else { return nil }
    let packets = (size / length).rounded()
    guard packets >= 1, abs(size - packets * length) <= SenderClock.agreement else { return nil }
    return ClockStep(
      sequence: begin, size: packets * length, standstill: former.point.media, doubtful: media...last.point.media)
  }

  /// The standstills that an announcement of scattering reports tells of, each where packets show it: nothing that was sent
  /// later came as quickly as what was sent before. What a path held for a while shows no such rise.
  ///
  /// - Parameters:
  ///   - end: index of the first packet behind the announcement.
  ///   - announced: how long they are together, in seconds.
  ///   - media: the times of which the announcement speaks.
  private func stairs(until end: Int, announced: Double, _ media: ClosedRange<Double>) -> ClockStep? {
    let recent = history.recent
    var lowest = levels(of: recent)
    for index in lowest.indices.dropLast().reversed() { lowest[index] = min(lowest[index], lowest[index + 1]) }
    func level(_ index: Int) -> Double { lowest[index - recent.startIndex] }
    var rises: [(index: Int, size: Double)] = []
    for index in (recent.startIndex..<end).dropFirst() where level(index) > level(index - 1) {
      let rise = level(index) - level(index - 1)
      if let last = rises.last, recent[index].point.media - recent[last.index].point.media < SenderClock.landing {
        rises[rises.count - 1] = (index, last.size + rise)
      } else {
        rises.append((index, rise))
      }
    }
    let least = max(SenderClock.leastStair, announced * SenderClock.leastShare)
    rises.removeAll { $0.size < least }
    // The latest that are together what was announced: those before them are an earlier report's.
    var total = 0.0
    var count = 0
    while count < rises.count {
      let more = total + rises[rises.count - 1 - count].size
      if count > 0, abs(more - announced) >= abs(total - announced) { break }
      (total, count) = (more, count + 1)
    }
    rises.removeFirst(rises.count - count)
    let allowed = max(SenderClock.stairsAgreement, announced * SenderClock.relativeStairsAgreement)
    guard abs(total - announced) <= allowed else { return nil }
    var steps = rises.map { rise in
      let last = recent[rise.index - 1].point.media
      // What is inserted for the others moves it.
      let doubtful = min(last, media.lowerBound)...(max(last, media.upperBound) + total - rise.size)
      return ClockStep(
        sequence: recent[rise.index].sequence, size: rise.size, standstill: last, doubtful: doubtful)
    }
    guard var last = steps.popLast() else { return nil }
    last.earlier = steps
    return last
  }

  /// By how much the quickest packets of either half of two stretches differ, in seconds: what may be wrong with a step
  /// that is read from them.
  private func scatter(_ stretches: ArraySlice<ArrivalHistory.Entry>...) -> Double {
    stretches.reduce(0) { sum, stretch in
      let halves = [stretch.prefix(stretch.count / 2), stretch.suffix(stretch.count / 2)].map { levels(of: $0).min() }
      guard let first = halves[0], let second = halves[1] else { return .infinity }
      return sum + abs(first - second)
    }
  }

  private func levels(of entries: ArraySlice<ArrivalHistory.Entry>) -> [Double] {
    entries.map { $0.point.residual - slope * $0.point.media }
  }

  /// The first packet from which on all keep to the new line (a rise), or the first that lies on it (a fall).
  ///
  /// - Parameter share: how much of the step a packet must show.
  private func start(
    of size: Double, from old: Double, in recent: ArraySlice<ArrivalHistory.Entry>, share: Double = 0.5
  ) -> Int64 {
    let middle = old + size * share
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
