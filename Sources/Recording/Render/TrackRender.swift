import Music
import Realtime

/// Makes one track of a take from its packets: samples on the take's time line, block by block.
///
/// Used from one thread at a time.
final class TrackRender {
  /// Streams that may wait to be played; a sender with more at once is at fault.
  private static let greatestBacklog = 16
  /// Seconds of journal time between two looks for a step of the sender's clock.
  private static let stepInterval = 0.5

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
  /// A packet that fits no stream: two in a row make a new one.
  private var stray: Stray?
  private var past = TrackStatistics()
  private var lastStepCheck = 0.0
  private(set) var unreadablePackets = 0
  private(set) var closedAt: Double?

  init(number: Int, track: JournalTrack) {
    self.number = number
    self.track = track
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
      stray = nil
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
    for answer in answers {
      if segments.isEmpty { early.observe(answer, arrival: arrival) }
      segments.last?.observe { $0.observe(answer, arrival: arrival) }
    }
    for case .senderReport(let report) in packets {
      guard let segment = segments.last(where: { $0.source == report.ssrc }) else { continue }
      let media = segment.media(of: report.timestamp)
      segment.observe { $0.observe(senderReport: SenderClock.seconds(report.time), media: media, arrival: arrival) }
    }
  }

  func observe(roundTrip: Double, at time: Double) {
    segments.last?.observe { $0.observe(roundTrip: roundTrip, at: time) }
    if segments.isEmpty { early.observe(roundTrip: roundTrip, at: time) }
  }

  func observe(clockSample senderTime: Double, arrival: Double, roundTrip: Double) {
    segments.last?.observe { $0.observe(clockSample: senderTime, arrival: arrival, roundTrip: roundTrip) }
    if segments.isEmpty { early.observe(clockSample: senderTime, arrival: arrival, roundTrip: roundTrip) }
  }

  /// What is known of the path before the first packet.
  private var early = SenderClock()

  private func begin(with packet: IncomingAudio, at arrival: Double) {
    let isKnownSource = segments.contains { $0.source == packet.source }
    if isKnownSource {
      // A single packet that fits nowhere is no new beginning; the one after it is.
      guard let first = stray, first.packet.source == packet.source,
        packet.sequence &- first.packet.sequence == 1
      else {
        stray = Stray(packet: packet, arrival: arrival)
        return
      }
    }
    guard segments.count < TrackRender.greatestBacklog else {
      past.refusedPackets += 1
      return
    }
    var arrivals: [Stray] = []
    if isKnownSource, let stray { arrivals.append(stray) }
    arrivals.append(Stray(packet: packet, arrival: arrival))
    stray = nil
    let segment = TrackSegment(
      arrivals[0].packet, arrival: arrivals[0].arrival, after: segments.last?.clock ?? early)
    segments.append(segment)
    for next in arrivals {
      guard let place = segment.place(next.packet, arrival: next.arrival) else { continue }
      segment.receive(next.packet, at: place, arrival: next.arrival)
    }
  }

  private func checkForStep(_ segment: TrackSegment, at time: Double) {
    guard time - lastStepCheck >= TrackRender.stepInterval, segments.count < TrackRender.greatestBacklog,
      segment === segments.last
    else { return }
    lastStepCheck = time
    if let rest = segment.followSteps(now: time) { segments.append(rest) }
  }

  /// Looks for steps for the last time: no more packets come.
  func settle(at time: Double) {
    if let rest = segments.last?.followSteps(now: time, isEnd: true) { segments.append(rest) }
  }

  // MARK: what comes out

  /// Decides the channels once audio is due before the time line's sample `end`; nil while there is none.
  func prepare(before end: Int64) -> Int? {
    if let channels { return channels }
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
        let nextStart = segments.count > 1 ? segments[1].start : .max
        if nextStart <= cursor {
          retire(active, at: cursor)
          try activate(at: cursor, channels)
          continue
        }
        let frames = Int(min(end, nextStart) - cursor)
        active.render(frames, into: UnsafeMutableBufferPointer(rebasing: slot.prefix(frames * channels)))
        note(active.takeHoles(), of: active)
        cursor += Int64(frames)
      } else {
        let begin = min(end, max(cursor, segments.first?.start ?? end))
        UnsafeMutableBufferPointer(rebasing: slot.prefix(Int(begin - cursor) * channels)).update(repeating: 0)
        cursor = begin
        if cursor < end { try activate(at: cursor, channels) }
      }
    }
  }

  private func activate(at position: Int64, _ channels: Int) throws(OpusFailure) {
    guard let segment = segments.first else { return }
    try segment.activate(at: position, channels: channels)
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
    past = past + segment.finalStatistics
    pastClocks.append(segment.clock)
    segments.removeFirst()
    isPlaying = false
  }

  private var pastClocks: [SenderClock] = []

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
    guard let last = segments.last else { return firstSample ?? 0 }
    if let piece = last.piece { return piece.timeline(of: Double(last.lastPosition)) }
    return Placement.start(of: last.lastPosition, last.clock)
  }

  /// Lists what is missing at the end of a take that is `length` samples long.
  func finish(length: Int64) {
    guard let active = segments.first, isPlaying else { return }
    if let hole = active.openHole, let piece = active.piece, closedAt == nil {
      let start = piece.timeline(of: Double(hole.start))
      // The last packets are always still on their way when a take is stopped.
      let tolerance = Int64(SenderClock.rate / 2)
      if length - start > tolerance {
        gapList.add(from: start, to: length, cause: .loss, concealed: hole.concealed)
      }
    }
    past = past + active.finalStatistics
    pastClocks.append(active.clock)
    segments.removeFirst()
    isPlaying = false
  }

  /// How well the track is placed, once it is finished.
  var report: AlignmentReport? {
    guard let firstSample, let clock = pastClocks.last else { return nil }
    let bound = pastClocks.map(\.errorBound).max() ?? 0
    return AlignmentReport(
      drift: clock.drift, offset: Double(firstSample) / SenderClock.rate,
      errorBound: (bound + past.greatestDifference / SenderClock.rate) * 1_000,
      expectedPackets: past.expectedPackets, recoveredPackets: past.recoveredPackets, lostPackets: past.lostPackets,
      concealedSamples: past.concealedSamples, basis: clock.basis)
  }

  /// The counts of the finished track.
  var statistics: TrackStatistics { past }
}
