extension SenderClock {
  /// A lasting change of arrivals by this much is a step even without an announcement, in seconds: network routes
  /// rarely change this much, but microphones often stall.
  private static let unannouncedStep = 0.2
  /// How long arrivals must follow the new line, in seconds.
  static let persistence = 2.0
  /// Tolerance for that time, since packets arrive one by one.
  private static let grain = 0.5
  /// How long everything must have been late for a step although the line still rises, in seconds: who plays ever slower
  /// has no other.
  private static let patience = 3.0
  /// By how much queues may make the quickest packet behind a step later than those right behind it, in seconds.
  private static let queue = 0.1
  /// At the end of a take there is no time to wait; a change by this much, in seconds, is a step at once. No path
  /// holds packets this long and then continues with the same delay.
  private static let obviousStep = 3.0
  /// The same for a step shown by the sender's own pairs.
  private static let announcedPersistence = 1.0
  /// Maximum difference of two readings of one small step, in seconds, or as a fraction of it.
  private static let agreement = 0.003
  private static let relativeAgreement = 0.2
  /// A packet before a step may have waited as long as the step; if its size is known, the packets after it show
  /// nearly all of it, except for the difference between readings.
  private static let shareOfKnownStep = 0.85
  /// Distance from a report within which packets show the lines before and after it, in seconds.
  private static let nearness = 1.0
  /// Packets with less scatter than this determine a step exactly, in seconds.
  private static let fineScatter = 0.001
  /// Smallest rise of the fastest packets that is a standstill, in seconds, and as a fraction of the announcement.
  private static let leastStair = 0.008
  private static let leastShare = 0.1
  /// Rises closer than this are one, in seconds: before a standstill, packets without waiting become rare.
  private static let landing = 0.2
  /// Maximum difference of all rises together from the announcement, in seconds, and as a fraction of it.
  private static let stairsAgreement = 0.015
  private static let relativeStairsAgreement = 0.25
  /// Minimum number of packets that must follow a line.
  static let fewestPackets = 10
  /// The same at the end of a stream whose steps are whole packets.
  private static let fewestLast = 4
  /// Fine bins (seconds) excluded from the old line.
  private static let excludedBins = 4

  /// Searches the last seconds for a step of the RTP clock. The caller handles the standstill, or splits the stream
  /// there and starts a new clock.
  ///
  /// - Parameter isEnd: true if no more packets will come, so that the available announcements must suffice.
  package func step(at now: Double, isEnd: Bool = false) -> ClockStep? {
    guard let last = history.recent.last, isEnd || now - last.arrival < SenderClock.persistence else { return nil }
    return announcedStep(last: last, isEnd: isEnd) ?? unannouncedStep(last: last, isEnd: isEnd)
      ?? (isEnd && hasStoodStill ? lastStandstill() : nil)
  }

  /// The first step that the sender's own pairs show and arrivals do not contradict.
  ///
  /// A browser under load drops several blocks within a second. The later steps only add to the rise in arrivals, so
  /// each step can be confirmed in turn.
  private func announcedStep(last: ArrivalHistory.Entry, isEnd: Bool) -> ClockStep? {
    for announcement in references.announcements {
      guard isEnd || last.arrival - announcement.arrival >= SenderClock.announcedPersistence else { return nil }
      if let step = confirmed(announcement, isEnd: isEnd) { return step.announced(at: announcement.arrival) }
    }
    return nil
  }

  /// The pairs give the time of the step, so packets on both sides can be compared, even in a stream's first seconds.
  private func confirmed(_ announcement: CaptureReferences.Announcement, isEnd: Bool) -> ClockStep? {
    let recent = history.recent
    let isSaidAtOnce = announcement.isOutOfTurn
    let announced = announcement.size(slope: slope)
    // A report sent while RTP time stands still extrapolates from the packet before: its media time is still to come,
    // by up to the whole standstill. Reports continue through a long one.
    let isReport = announcement.source == .senderReport
    let lead = isReport && announced < SenderClock.unannouncedStep ? max(0, announced) : 0
    let after = min(announcement.after - lead, isReport ? announcement.sentBefore : .infinity)
    let before = recent.prefix { !$0.point.isBehind(isSaidAtOnce ? announcement.until : after) }
    let behind = recent.drop { !$0.point.isBehind(announcement.until) }
    // Further away there may be other steps that have not been handled yet.
    let near = before.drop { $0.point.media < (before.last?.point.media ?? 0) - SenderClock.nearness }
    var next = behind.prefix { $0.point.media < (behind.first?.point.media ?? 0) + SenderClock.nearness }
    // No more will come. What was sent last before the report shows the step too, if it lies before that.
    if isEnd, next.count < SenderClock.fewestPackets {
      next = recent[min(before.endIndex, recent.endIndex)...].suffix(SenderClock.fewestPackets)
    }
    // Where a stream has just begun, there are no more, and its first capture time is that of its first packet.
    let isBeginning = !isReport && announced > 0 && before.count < SenderClock.fewestPackets
    let former = isBeginning ? recent[..<behind.startIndex] : near
    guard isBeginning || near.count >= SenderClock.fewestPackets, next.count >= SenderClock.fewestPackets,
      let old = levels(of: former).min(), let new = levels(of: next).min()
    else { return nil }
    let size = new - old
    guard size * announced > 0, abs(size) >= abs(announced) / 2 else { return nil }
    let agrees = abs(size - announced) <= max(SenderClock.agreement, abs(announced) * SenderClock.relativeAgreement)
    if announcement.needsAgreement, !agrees { return nil }
    // A report that was written in the next standstill announces only those before, and all packets behind its media time
    // show that one too.
    if isReport, !agrees, announced > 0, after <= announcement.until,
      let step = stairs(until: behind.startIndex, announced: announced, after...announcement.until)
    {
      return step
    }
    // Reports continued while RTP time stood still: the later one has an earlier media time than the one before.
    guard announcement.isExact || agrees, announced > 0, after <= announcement.until,
      before.endIndex <= behind.startIndex
    else {
      return ClockStep(sequence: start(of: size, from: old, in: recent), size: size)
    }
    // Reports of some senders scatter more than the fastest packets do; if every report shows a standstill, their
    // scatter cannot be measured.
    let isRough = isReport && scatter(near, next) < max(SenderClock.fineScatter, references.reportScatter ?? 0)
    // Between two capture times with packets between them the step is found by arrivals, too.
    let isLocated = !isReport && (isSaidAtOnce || before.endIndex == behind.startIndex)
    let doubtful = isLocated ? nil : after...announcement.until
    if isRough, let doubtful, let step = stairs(until: behind.startIndex, announced: announced, doubtful) {
      return step
    }
    let length = isRough ? size : announced
    // The second pair belongs to the first packet after the step.
    var sequence = behind.first?.sequence ?? .max
    if !isSaidAtOnce {
      sequence = min(
        sequence,
        start(
          of: length, from: old, in: recent[before.endIndex..<min(behind.startIndex + 1, recent.endIndex)],
          share: SenderClock.shareOfKnownStep))
    }
    guard let last = recent.last(where: { $0.sequence < sequence }) else { return nil }
    return ClockStep(
      sequence: sequence, size: length, standstill: last.point.media, doubtful: doubtful)
  }

  /// A step without an announcement, which must be large and persistent.
  private func unannouncedStep(last: ArrivalHistory.Entry, isEnd: Bool) -> ClockStep? {
    guard let old = envelope.level(slope: slope, excluding: SenderClock.excludedBins) else { return nil }
    let recent = history.recent
    let late = history.since(last.arrival - SenderClock.persistence)
    let tail = isEnd ? late : behindLastRise(late, from: old)
    // Packets held by a path for seconds arrive all at once; that must be over before the line is examined.
    guard let first = tail.first, recent.startIndex < tail.startIndex,
      isEnd || last.arrival - first.arrival >= SenderClock.persistence - SenderClock.grain
    else { return nil }
    let levels = levels(of: tail)
    guard levels.count >= SenderClock.fewestPackets, let lowest = levels.min() else { return nil }
    let size = lowest - old
    guard abs(size) >= (isEnd ? SenderClock.obviousStep : SenderClock.unannouncedStep) else { return nil }
    // The sender has reported since, and its clocks still agree: so the network has changed.
    if let media = references.latestMedia, let begin = tail.first, media > begin.point.media { return nil }
    // Nothing is quicker than its line, so what is quicker than the new one was sent before the step, and held.
    let share = min(SenderClock.shareOfKnownStep, max(0.5, 1 - SenderClock.queue / size))
    return ClockStep(sequence: start(of: size, from: old, in: recent, share: size > 0 ? share : 0.5), size: size)
  }

  /// The packets of `tail`, if all of them are late, from the last rise on that would be a step by itself. What was held just
  /// before a standstill is late too, but it has no line: a line lasts. All of them if everything has been late for long.
  private func behindLastRise(
    _ tail: ArraySlice<ArrivalHistory.Entry>, from old: Double
  ) -> ArraySlice<ArrivalHistory.Entry> {
    guard let last = tail.last, isLate(tail, from: old) else { return tail }
    let long = history.since(last.arrival - SenderClock.patience)
    if let first = long.first, last.arrival - first.arrival >= SenderClock.patience - SenderClock.grain,
      isLate(long, from: old)
    {
      return tail
    }
    var lowest = level(of: last)
    for index in tail.indices.reversed() {
      let present = level(of: tail[index])
      if lowest - present >= SenderClock.unannouncedStep { return tail[(index + 1)...] }
      lowest = min(lowest, present)
    }
    return tail
  }

  private func isLate(_ entries: ArraySlice<ArrivalHistory.Entry>, from old: Double) -> Bool {
    levels(of: entries).min().map { $0 - old >= SenderClock.unannouncedStep } ?? false
  }

  /// A standstill after the last report of a sender with earlier standstills: dropped blocks show as whole packet
  /// lengths in the arrivals of all later packets.
  private func lastStandstill() -> ClockStep? {
    // What a report announced lies before it. Its own media time may lie behind packets that were sent later.
    guard let media = references.lastSent, !references.announcements.contains(where: { $0.difference > 0 }) else {
      return nil
    }
    let recent = history.recent
    let before = recent.prefix { !$0.point.isBehind(media) }
    let behind = recent[before.endIndex...]
    let near = before.drop { $0.point.media < media - SenderClock.nearness }
    guard near.count >= SenderClock.fewestPackets, let old = levels(of: near).min(),
      // RTP times of a sender may also go backwards.
      let last = behind.last, last.point.isBehind(media), let tail = greatestRise(in: behind, from: old),
      let begin = tail.first?.sequence
    else { return nil }
    let lengths = zip(tail, tail.dropFirst()).map { $1.point.media - $0.point.media }
    guard tail.count >= SenderClock.fewestLast, let length = lengths.min(), length > EnvelopePoint.grain,
      let size = levels(of: tail).min().map({ $0 - old }), let former = recent.last(where: { $0.sequence < begin })
    else { return nil }
    let packets = (size / length).rounded()
    guard packets >= 1, abs(size - packets * length) <= SenderClock.agreement else { return nil }
    return ClockStep(
      sequence: begin, size: packets * length, standstill: former.point.media, doubtful: media...last.point.media)
  }

  /// The packets from the one on from which nothing came as fast as before by most of what separates the last from `old`;
  /// nil if the rise has several parts. Where packets wait for as long as a step, those before it may look like it.
  private func greatestRise(
    in entries: ArraySlice<ArrivalHistory.Entry>, from old: Double
  ) -> ArraySlice<ArrivalHistory.Entry>? {
    var rise = (index: entries.endIndex, size: 0.0)
    var lowest = Double.infinity
    for index in entries.indices.reversed() {
      let before = index > entries.startIndex ? level(of: entries[index - 1]) : old
      lowest = min(lowest, level(of: entries[index]))
      if lowest - before > rise.size { rise = (index, lowest - before) }
    }
    let tail = entries[rise.index...]
    guard let new = levels(of: tail).min(), rise.size >= (new - old) / 2 else { return nil }
    return tail
  }

  /// The standstills behind an announcement of scattering reports, each confirmed by packets: nothing sent later
  /// arrived as fast as what was sent before. Packets held by a path for a while do not show such a rise.
  ///
  /// - Parameters:
  ///   - end: index of the first packet after the announcement.
  ///   - announced: their total length, in seconds.
  ///   - media: the media times covered by the announcement.
  private func stairs(until end: Int, announced: Double, _ media: ClosedRange<Double>) -> ClockStep? {
    let recent = history.recent
    var lowest = levels(of: recent)
    for index in lowest.indices.dropLast().reversed() { lowest[index] = min(lowest[index], lowest[index + 1]) }
    func level(_ index: Int) -> Double { lowest[index - recent.startIndex] }
    var rises: [(index: Int, size: Double)] = []
    for index in (recent.startIndex..<end).dropFirst() where level(index) > level(index - 1) {
      let rise = level(index) - level(index - 1)
      if let last = rises.last, recent[index].point.media - recent[last.index].point.media < SenderClock.landing {
        // Behind a long standstill, jitter makes small ones.
        let isPart = rise >= last.size * SenderClock.leastShare
        rises[rises.count - 1] = (isPart ? index : last.index, last.size + rise)
      } else {
        rises.append((index, rise))
      }
    }
    let least = max(SenderClock.leastStair, announced * SenderClock.leastShare)
    rises.removeAll { $0.size < least }
    // The latest rises that add up to the announcement; those before them belong to an earlier report.
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
      // It moves when the other standstills are inserted.
      let doubtful = min(last, media.lowerBound)...(max(last, media.upperBound) + total - rise.size)
      return ClockStep(
        sequence: recent[rise.index].sequence, size: rise.size, standstill: last, doubtful: doubtful)
    }
    guard var last = steps.popLast() else { return nil }
    last.earlier = steps
    return last
  }

  /// The difference between the fastest packets of the two halves of each stretch, in seconds: the possible error of
  /// a step derived from them.
  private func scatter(_ stretches: ArraySlice<ArrivalHistory.Entry>...) -> Double {
    stretches.reduce(0) { sum, stretch in
      let halves = [stretch.prefix(stretch.count / 2), stretch.suffix(stretch.count / 2)].map { levels(of: $0).min() }
      guard let first = halves[0], let second = halves[1] else { return .infinity }
      return sum + abs(first - second)
    }
  }

  func levels(of entries: ArraySlice<ArrivalHistory.Entry>) -> [Double] {
    entries.map { $0.point.residual - slope * $0.point.media }
  }

  /// The first packet from which all follow the new line (a rise), or the first on it (a fall).
  ///
  /// - Parameter share: fraction of the step that a packet must show.
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
