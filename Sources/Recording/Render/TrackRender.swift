import Music
import Realtime

/// Makes one track of a take from its packets: samples on the take's time line, block by block.
///
/// Used from one thread at a time.
final class TrackRender {
  /// Streams that may wait to be played: a change of SSRC every 100 ms for the whole window, and room to spare.
  private static let greatestBacklog = 64
  /// Seconds of journal time between two looks for a step of the sender's clock.
  private static let stepInterval = 0.5
  /// Seconds after which a step of a sender's clock is found, where there is one: until then a packet's place can change.
  private static let settling = SenderClock.persistence + stepInterval
  /// Packets of a stream that are lost between two by which it is known to be one.
  private static let greatestSkip = 16
  /// Samples between a musician's last sound and the word that they left: half a second.
  private static let farewell: Int64 = 24_000
  /// Sources of single packets that are remembered.
  private static let greatestStrays = 4

  private struct Stray {
    var packet: IncomingAudio
    var arrival: Double
  }

  let number: Int
  var track: JournalTrack
  /// 1 or 2 for the whole take; nil until the first audio is due.
  private(set) var channels: Int?
  private var gapList = GapList()
  var gaps: [Gap] { gapList.gaps }
  /// The place of the track's first sample.
  private(set) var firstSample: Int64?
  /// The stream that plays, then those that will.
  private var segments: [TrackSegment] = []
  /// The stream that plays has begun.
  private var isPlaying = false
  /// Packets that fit no stream, one of each source: two in a row make a new one.
  private var strays: [Stray] = []
  private var past = TrackStatistics()
  private var lastStepCheck = 0.0
  private(set) var unreadablePackets = 0
  private(set) var closedAt: Double?
  private let options: RenderOptions
  private var played: [PlayedPacket] = []

  init(number: Int, track: JournalTrack, options: RenderOptions) {
    self.number = number
    self.track = track
    self.options = options
  }

  /// What was played since the last call; nothing but in an examination.
  func takePlayed() -> [PlayedPacket] {
    defer { played.removeAll(keepingCapacity: true) }
    return played
  }

  // MARK: what the journal says

  func streamChanged(to stream: JournalStream) {
    track.stream = stream
  }

  func closed(at time: Double) {
    closedAt = time
  }

  func path(isUp: Bool, at time: Double) {
    gapList.path.note(isUp: isUp, at: time)
  }

  func recorderWasStuck(from start: Double, to end: Double) {
    gapList.recorder.note(isUp: false, at: start)
    gapList.recorder.note(isUp: true, at: end)
  }

  func recorderStoodStill(from start: Double, to end: Double) {
    gapList.standstills.note(isUp: false, at: start)
    gapList.standstills.note(isUp: true, at: end)
  }

  func receive(rtp bytes: [UInt8], at arrival: Double) {
    guard let packet = IncomingAudio(bytes, stream: track.stream) else {
      unreadablePackets += 1
      return
    }
    closedAt = nil
    for segment in segments.reversed() where segment.source == packet.source {
      guard let place = segment.place(packet, arrival: arrival) else { break }
      // What was sent before a step of the clock belongs to the segment before it.
      if place.sequence < segment.firstSequence, segment.followsStep { continue }
      strays.removeAll { $0.packet.source == packet.source }
      segment.receive(packet, at: place, arrival: arrival)
      checkForStep(segment, at: arrival)
      return
    }
    begin(with: packet, at: arrival)
  }

  /// Takes a compound that came at `arrival`, when our own reports would have shown `clock`.
  func receive(rtcp bytes: [UInt8], at arrival: Double, clock: NTPTime) {
    // RTCP that cannot be read says nothing; the track is placed without it.
    guard let packets = try? RTCPCompound.parse(bytes) else { return }
    let answers = ReportAnswer.answers(in: packets, at: clock)
    for answer in answers { observe { $0.observe(answer, arrival: arrival) } }
    for case .senderReport(let report) in packets {
      guard let segment = segments.last(where: { $0.source == report.ssrc }) else { continue }
      segment.observe(
        senderReport: SenderClock.seconds(report.time), timestamp: report.timestamp, arrival: arrival)
    }
  }

  func observe(roundTrip: Double, at time: Double) {
    observe { $0.observe(roundTrip: roundTrip, at: time) }
  }

  func observe(clockSample senderTime: Double, arrival: Double, roundTrip: Double) {
    observe { $0.observe(clockSample: senderTime, arrival: arrival, roundTrip: roundTrip) }
  }

  /// What is said of the path holds for every stream that comes by it.
  private func observe(_ body: (inout SenderClock) -> Void) {
    if segments.isEmpty { body(&early) }
    for segment in segments { segment.observe(body) }
  }

  /// What is known of the path before the first packet.
  private var early = SenderClock()

  private func begin(with packet: IncomingAudio, at arrival: Double) {
    var arrivals = [Stray(packet: packet, arrival: arrival)]
    if !segments.isEmpty {
      // A single packet that fits nowhere is no new beginning; the one after it is.
      let former = strays.firstIndex { $0.packet.source == packet.source }.map { strays.remove(at: $0) }
      guard let former, (1...TrackRender.greatestSkip).contains(Int(packet.sequence &- former.packet.sequence)) else {
        if strays.count == TrackRender.greatestStrays { strays.removeFirst() }
        strays += arrivals
        return
      }
      arrivals.insert(former, at: 0)
    }
    guard segments.count < TrackRender.greatestBacklog else {
      past.refusedPackets += arrivals.count
      return
    }
    let segment = TrackSegment(
      arrivals[0].packet, arrival: arrivals[0].arrival, after: segments.last?.clock ?? early, track: number,
      options: options)
    segments.append(segment)
    for next in arrivals {
      guard let place = segment.place(next.packet, arrival: next.arrival) else { continue }
      segment.receive(next.packet, at: place, arrival: next.arrival)
    }
  }

  private func checkForStep(_ segment: TrackSegment, at time: Double) {
    guard time - lastStepCheck >= TrackRender.stepInterval, segments.count < TrackRender.greatestBacklog else { return }
    lastStepCheck = time
    followSteps(of: segment, at: time)
  }

  private func followSteps(of segment: TrackSegment, at time: Double, isEnd: Bool = false) {
    // What comes before another beginning of the same stream is over.
    guard let index = segments.lastIndex(where: { $0.source == segment.source }), segments[index] === segment,
      let rest = segment.followSteps(now: time, isEnd: isEnd, options: options)
    else { return }
    segments.insert(rest, at: index + 1)
  }

  /// Looks for steps for the last time: no more packets come.
  func settle(at time: Double) {
    for segment in segments { followSteps(of: segment, at: time, isEnd: true) }
  }

  /// True where nothing that comes after the journal time `now` changes the track before the time line's sample `end`, as
  /// far as that is known: what arrived there arrived long enough ago, nothing ever came, or the musician left.
  func isSettled(before end: Int64, at now: Double) -> Bool {
    guard closedAt == nil, !segments.isEmpty else { return true }
    return segments.contains { $0.end(by: now - TrackRender.settling).map { $0 >= end } ?? false }
  }

  // MARK: what comes out

  /// Decides the channels once audio is due before the time line's sample `end`; nil while there is none.
  func prepare(before end: Int64) -> Int? {
    if let channels { return channels }
    dropLonePacket()
    guard let first = segments.first, first.start < end else { return nil }
    channels = first.isStereo || track.stream.isStereo == true ? 2 : 1
    return channels
  }

  /// Renders `output.count / channels` frames from the time line's sample `start`; call with growing starts, no gaps.
  /// - Throws: `OpusFailure` when libopus has no memory.
  func render(from start: Int64, into output: UnsafeMutableBufferPointer<Float>) throws(OpusFailure) {
    guard let channels else { return output.update(repeating: 0) }
    let end = start + Int64(output.count / channels)
    var cursor = start
    while cursor < end {
      let slot = UnsafeMutableBufferPointer(rebasing: output[(Int(cursor - start) * channels)...])
      if let active = segments.first, isPlaying {
        let nextStart = startOfNext(after: active, at: cursor)
        if nextStart <= cursor {
          retire(active, at: cursor)
          try activate(at: cursor, channels)
          continue
        }
        let frames = Int(min(end, nextStart) - cursor)
        active.render(frames, into: UnsafeMutableBufferPointer(rebasing: slot.prefix(frames * channels)))
        note(active.takeHoles(), of: active)
        if options.isExamination { played += active.takePlayed() }
        cursor += Int64(frames)
      } else {
        dropLonePacket()
        let begin = min(end, max(cursor, segments.first?.start ?? end))
        UnsafeMutableBufferPointer(rebasing: slot.prefix(Int(begin - cursor) * channels)).update(repeating: 0)
        cursor = begin
        if cursor < end { try activate(at: cursor, channels) }
      }
    }
  }

  /// One packet of somebody's who sends nothing more plays nothing where another stream begins.
  private func dropLonePacket() {
    guard !isPlaying else { return }
    while segments.count > 1, segments[0].isLonePacket {
      past.refusedPackets += 1
      segments.removeFirst()
    }
  }

  /// Where the stream that plays gives way to the one after it; `.max` for the last.
  ///
  /// A stream goes on as long as its packets do: another source is heard behind them, because it may be a stranger's or
  /// one that was left over. A new beginning of the same source is the same musician's.
  private func startOfNext(after active: TrackSegment, at cursor: Int64) -> Int64 {
    while segments.count > 1, segments[1].source != active.source, let waiting = active.waitingEnd, waiting > cursor {
      guard segments[1].start < cursor, !segments[1].forget(before: cursor) else {
        return max(segments[1].start, waiting)
      }
      past = past + segments[1].finalStatistics
      segments.remove(at: 1)
    }
    return segments.count > 1 ? segments[1].start : .max
  }

  private func activate(at position: Int64, _ channels: Int) throws(OpusFailure) {
    guard let segment = segments.first else { return }
    try segment.activate(at: position, channels: channels, isExamination: options.isExamination)
    isPlaying = true
    if firstSample == nil { firstSample = position }
  }

  /// Ends a stream because the next one begins at the time line's sample `position`.
  private func retire(_ segment: TrackSegment, at position: Int64) {
    if let hole = segment.openHole, let piece = segment.piece {
      let isStep = segments.count > 1 && segments[1].source == segment.source
      gapList.add(
        from: piece.timeline(of: Double(hole.start)), to: position, cause: isStep ? .captureStall : .disconnected,
        concealed: hole.concealed)
    }
    conclude(segment)
  }

  private func conclude(_ segment: TrackSegment) {
    past = past + segment.finalStatistics
    bounds.append(segment.finalBounds)
    lastClock = segment.clock
    if let better = segment.betterLine {
      lines[segment.key] = better.line
      greatestDistance = max(greatestDistance, better.distance)
    }
    segments.removeFirst()
    isPlaying = false
  }

  private var lastClock: SenderClock?
  /// What whole streams show to be elsewhere than it was placed, and how far at most, in seconds; only in a survey.
  private(set) var lines: [StreamKey: WholeTakeLine] = [:]
  private(set) var greatestDistance = 0.0
  /// How exactly the streams were placed that are over.
  private var bounds: [[BoundCurve.Stretch]] = []

  private func note(_ holes: [StreamHole], of segment: TrackSegment) {
    guard let piece = segment.piece else { return }
    for hole in holes {
      let cause: Gap.Cause =
        switch hole.kind {
        case .loss, .open: .loss
        case .stall: .captureStall
        case .undecodable: .undecodable
        }
      gapList.add(
        from: piece.timeline(of: Double(hole.start)), to: piece.timeline(of: Double(hole.start + hole.length)),
        cause: cause, concealed: hole.concealed)
    }
  }

  // MARK: the end

  /// The time line's sample behind the last audio, as it looks now; 0 without any.
  var end: Int64 {
    segments.map(\.end).max() ?? firstSample ?? 0
  }

  /// Lists what is missing at the end of a take that is `length` samples long and whose journal ends at the time line's
  /// sample `heard`.
  ///
  /// The last packets are always still on their way when a take is stopped: what could not have come by the journal's end
  /// is no gap. That is a packet at least, since the one in which the take ends is sent after it. A musician who left
  /// stopped playing before word of it came: what is missing before is a gap, what comes after is none.
  func finish(length: Int64, heard: Int64) {
    guard let active = segments.first, isPlaying else { return }
    if let hole = active.openHole, let piece = active.piece {
      let start = piece.timeline(of: Double(hole.start))
      let packet = active.lastDuration + Int64(OpusPacket.encoderLookahead)
      let left = closedAt.map { Int64((max(0, $0) * SenderClock.rate).rounded()) }
      let end = min(length, left ?? length)
      let unknowable = left == nil ? max(packet, active.timeUnderWay - max(0, heard - length)) : TrackRender.farewell
      if end - start > unknowable {
        gapList.add(from: start, to: end, cause: .loss, concealed: hole.concealed)
      }
    }
    active.endCounts()
    conclude(active)
  }

  /// How well the track is placed, once it is finished.
  var report: AlignmentReport? {
    guard let firstSample, let clock = lastClock else { return nil }
    let stretches = BoundCurve.joined(bounds, doubt: clock.doubt).map(BoundedStretch.init)
    let unknown = stretches.first { $0.errorBound == nil }
    return AlignmentReport(
      drift: clock.drift, offset: Double(firstSample) / SenderClock.rate,
      errorBound: unknown == nil ? stretches.compactMap(\.errorBound).max() : nil,
      unknownBecause: stretches.isEmpty ? SenderClock.noRoundTrip : unknown?.unknownBecause,
      expectedPackets: past.expectedPackets, recoveredPackets: past.recoveredPackets, lostPackets: past.lostPackets,
      concealedSamples: past.concealedSamples, basis: clock.basis, stretches: stretches)
  }

  /// The counts of the finished track.
  var statistics: TrackStatistics { past }
}
