import Machines
import Music

/// The output of a track: samples, gaps, and the precision of its placement.
extension TrackRender {
  /// Samples between a musician's last sound and the report that they left: half a second.
  private static let farewell: Int64 = 24_000
  /// Maximum number of stretches in which drops go unnoticed.
  private static let greatestUnseen = 64

  /// Determines the channels once audio is due before sample `end` of the time line; nil if there is none.
  func prepare(before end: Int64) -> Int? {
    if let channels { return channels }
    dropLonePacket()
    guard let first = segments.first, first.start < end else { return nil }
    channels = first.isStereo || track.stream.isStereo == true ? 2 : 1
    return channels
  }

  /// Renders `output.count / channels` frames from sample `start` of the time line; call it with consecutive ranges.
  /// - Throws: `OpusFailure` if libopus runs out of memory.
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
          try activate(at: cursor, channels, after: active)
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

  /// Settles the error bounds of what lies before the journal time `now` by the window.
  func settleBounds(at now: Double) {
    guard isPlaying, let active = segments.first else { return }
    let window = options.window.seconds
    active.settleBounds { Double($0.end) / SenderClock.rate + window <= now }
  }

  /// Drops a stream that consists of a single packet when another stream begins.
  private func dropLonePacket() {
    guard !isPlaying else { return }
    while segments.count > 1, segments[0].isLonePacket {
      past.refusedPackets += 1
      segments.removeFirst()
    }
  }

  /// The position at which the active stream yields to the next; `.max` for the last.
  ///
  /// A stream lasts as long as its packets do. Another source is played after them, because it may be a stranger's or
  /// a leftover; a restart of the same source belongs to the same musician.
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

  private func activate(
    at position: Int64, _ channels: Int, after former: TrackSegment? = nil
  ) throws(OpusFailure) {
    guard let segment = segments.first else { return }
    try segment.activate(
      at: position, channels: channels, isExamination: options.isExamination,
      continuing: former?.source == segment.source ? former?.decoder : nil)
    isPlaying = true
    if firstSample == nil { firstSample = position }
  }

  /// Ends a stream because the next one begins at sample `position` of the time line.
  private func retire(_ segment: TrackSegment, at position: Int64) {
    if let hole = segment.openHole, let piece = segment.piece {
      let isStep = segments.count > 1 && segments[1].source == segment.source
      gapList.add(
        from: piece.timeline(of: Double(hole.start)), to: position, cause: isStep ? .captureStall : .disconnected,
        concealed: hole.concealed)
    }
    conclude(segment)
  }

  /// - Parameter left: when the musician left, on the time line; nil if they did not.
  private func conclude(_ segment: TrackSegment, left: Int64? = nil) {
    segment.settleBounds { _ in true }
    past = past + segment.finalStatistics
    bounds.append(segment.finalBounds)
    for stretch in segment.unseenDrops { note(unseen: stretch.clamped(to: .min..<(left ?? .max))) }
    lastClock = segment.clock
    if let better = segment.betterLine {
      lines[segment.key] = better.line
      greatestDistance = max(greatestDistance, better.distance)
    }
    segments.removeFirst()
    isPlaying = false
  }

  private func note(_ holes: [StreamHole], of segment: TrackSegment) {
    guard let piece = segment.piece else { return }
    for hole in holes {
      gapList.add(
        from: piece.timeline(of: Double(hole.start)), to: piece.timeline(of: Double(hole.start + hole.length)),
        cause: hole.cause, concealed: hole.concealed)
    }
  }

  // MARK: the end

  /// One past the last audio sample of the time line, by the current estimate; 0 without any.
  var end: Int64 {
    segments.map(\.end).max() ?? firstSample ?? 0
  }

  /// Lists the missing parts at the end of a take of `length` samples whose journal ends at sample `heard` of the
  /// time line.
  ///
  /// When a take is stopped, its last packets are still on their way, so audio that could not have arrived by the
  /// journal's end is not a gap. That is at least one packet, since the packet in which the take ends is sent after
  /// it. A musician who left stopped playing before the report of it arrived. Up to half a second before it is no gap,
  /// but where it is longer than sound is under way, the certificate says that a drop there would not show.
  func finish(length: Int64, heard: Int64) {
    talks.note(isOn: false, at: min(end, length))
    guard let active = segments.first, isPlaying else { return }
    var unheard: Range<Int64>?
    // Longer than sound is on its way: the musician may have stopped, or left sound out.
    var isLongFarewell = false
    let left = closedAt.map { Int64(saturating: max(0, $0) * SenderClock.rate) }
    if let hole = active.openHole, let piece = active.piece {
      let start = piece.timeline(of: Double(hole.start))
      let packet = active.lastDuration + Int64(OpusPacket.encoderLookahead)
      let end = min(length, left ?? length)
      let underWay = max(packet, active.timeUnderWay - (left == nil ? max(0, heard - length) : 0))
      let unknowable = left == nil ? underWay : TrackRender.farewell
      // A packet behind the hole has come: nothing in front of it is on its way any more. Announced silence is no hole.
      let isKnown = hole.kind != .open && active.decoder?.announcedPause == 0
      if isKnown || end - start > unknowable {
        gapList.add(from: start, to: end, cause: hole.cause, concealed: hole.concealed)
      } else if start < end {
        unheard = start..<end
        isLongFarewell = end - start > underWay
      }
    }
    active.endCounts()
    conclude(active, left: left)
    // What may still have been on its way may as well never have been sent.
    if let unheard, isLongFarewell || unseenDrops.last.map({ $0.upperBound >= unheard.lowerBound }) == true {
      note(unseen: unheard)
    }
  }

  /// Notes a stretch in which a drop could have gone unnoticed. A sender of very many streams gets fewer and longer ones.
  private func note(unseen stretch: Range<Int64>) {
    guard !stretch.isEmpty else { return }
    if let last = unseenDrops.last, last.upperBound >= stretch.lowerBound {
      unseenDrops[unseenDrops.count - 1] = last.lowerBound..<max(last.upperBound, stretch.upperBound)
    } else {
      unseenDrops.append(stretch)
    }
    guard unseenDrops.count > TrackRender.greatestUnseen,
      let index = (1..<unseenDrops.count).min(by: { distance(before: $0) < distance(before: $1) })
    else { return }
    let joined = unseenDrops[index - 1].lowerBound..<unseenDrops[index].upperBound
    unseenDrops.replaceSubrange(index - 1...index, with: [joined])
  }

  private func distance(before index: Int) -> Int64 {
    unseenDrops[index].lowerBound - unseenDrops[index - 1].upperBound
  }

  /// The precision of the track's placement, once it is finished.
  var report: AlignmentReport? {
    guard let firstSample, let clock = lastClock else { return nil }
    let stretches = BoundCurve.joined(bounds, doubt: clock.doubt).map(BoundedStretch.init)
    let unknown = stretches.first { $0.errorBound == nil }
    return AlignmentReport(
      drift: clock.drift, offset: Double(firstSample) / SenderClock.rate,
      errorBound: unknown == nil ? stretches.compactMap(\.errorBound).max() : nil,
      unknownBecause: stretches.isEmpty ? SenderClock.noRoundTrip : unknown?.unknownBecause,
      expectedPackets: past.expectedPackets, recoveredPackets: past.recoveredPackets, lostPackets: past.lostPackets,
      concealedSamples: past.concealedSamples, basis: clock.basis, stretches: stretches,
      unseenDrops: unseenDrops.map(SampleSpan.init), talks: talks.spans(until: end))
  }

  /// The counts of the finished track.
  var statistics: TrackStatistics { past }
}

extension StreamHole {
  fileprivate var cause: Gap.Cause {
    switch kind {
    case .loss, .open: .loss
    case .stall: .captureStall
    case .undecodable: .undecodable
    }
  }
}

extension SampleSpan {
  init(_ range: Range<Int64>) {
    self.init(start: SamplePosition(range.lowerBound), end: SamplePosition(range.upperBound))
  }
}

extension BoundedStretch {
  init(_ stretch: BoundCurve.Stretch) {
    self.init(
      start: SamplePosition(stretch.start), end: SamplePosition(stretch.end),
      errorBound: stretch.bound.isFinite ? stretch.bound * 1_000 : nil, unknownBecause: stretch.unknownBecause,
      basis: stretch.basis)
  }
}
