import Machines

/// Playing a segment.
extension TrackSegment {
  /// Time over which recent packets determine the transit time, in seconds.
  private static let recently = 6.0
  /// Maximum transit time of packets at the end of a take, in seconds: services wait for packets sent before the end.
  static let longestWay = 0.4

  /// True if the first second contains stereo packets.
  var isStereo: Bool {
    let second = Int64(SenderClock.rate)
    return store.waiting.contains { $0.timestamp < firstTimestamp + second && $0.opus?.isStereo == true }
  }

  /// The position of its first sample on the time line, by the current estimate.
  var start: Int64 { begin(of: firstTimestamp) }

  /// Starts to play at sample `position` of the time line.
  ///
  /// - Parameter former: the decoder of the segment before, if it was the same sender's.
  func activate(
    at position: Int64, channels: Int, isExamination: Bool, continuing former: StreamDecoder?
  ) throws(OpusFailure) {
    placement = line.map { Placement(start: position, clock: $0) } ?? Placement(start: position, clock: clock)
    decoder = try StreamDecoder(
      channels: channels, sequence: firstSequence, position: firstTimestamp, isExamination: isExamination,
      isRepeatable: true, continuing: former)
  }

  private func advance(_ frames: Int) -> Placement.Piece? {
    if let line { placement?.advance(frames, toward: line) } else { placement?.advance(frames, toward: clock) }
  }

  /// True if everything before sample `end` of the time line has come without a hole, and has shown that it lies there.
  func isWhole(before end: Int64) -> Bool {
    guard let decoder, decoder.openHole == nil, let first = store.first, let reached = store.wholeEnd,
      first.sequence == decoder.next, first.timestamp == decoder.audio.end
    else { return false }
    // The resampler reads some samples further.
    return timeline(of: min(reached, undelayed)) >= end + Int64(RollingRender.block)
  }

  /// Records the error bounds of the rendered pieces that `isDue`, by what is known now.
  func settleBounds(where isDue: (UnsettledPieces.Span) -> Bool) {
    for span in unsettled.take(while: isDue) {
      let (piece, frames) = (span.piece, span.frames)
      let doubt = standstills.doubt(from: piece.position, to: piece.position + piece.step * Double(frames))
      func difference(_ line: some CaptureLine) -> Double {
        Placement.difference(of: piece.position, at: piece.start, line)
      }
      if let line {
        bounds.note(
          piece, frames: frames, difference: difference(line), line: line, basis: clock.basis, doubt: doubt)
      } else {
        bounds.note(piece, frames: frames, difference: difference(clock), clock: clock, doubt: doubt)
      }
    }
  }

  /// Renders the next `frames` of the time line into interleaved `output`.
  func render(_ frames: Int, into output: UnsafeMutableBufferPointer<Float>) {
    guard let piece = advance(frames) else { return }
    self.piece = piece
    trace.note(piece)
    unsettled.add(piece, frames: frames)
    survey?.note(
      media: Placement.media(of: piece.position), placedAt: Double(piece.start) / SenderClock.rate, by: clock)
    let needed = Resampler.Run(position: piece.position, step: piece.step, count: frames).needed
    decoder?.fill(upTo: Int64(needed) + 1, from: &store)
    for number in decoder?.takeRepaired() ?? [] { delivery.deliver(number) }
    let isRendered = decoder?.resample(piece, frames: frames, into: output) ?? false
    if !isRendered { output.update(repeating: 0) }
    decoder?.discard(before: Int64(piece.position))
  }

  /// Returns the holes closed since the last call.
  func takeHoles() -> [StreamHole] { decoder?.takeHoles() ?? [] }

  /// Returns the packets decoded since the last call, in an examination.
  func takePlayed() -> [PlayedPacket] {
    guard let piece else { return [] }
    return decoder?.takePlayed().map {
      PlayedPacket(
        source: source, sequence: UInt16(truncatingIfNeeded: $0.sequence),
        place: piece.timeline(of: Double($0.timestamp)))
    } ?? []
  }

  /// The hole at the current end.
  var openHole: StreamHole? { decoder?.openHole }

  /// How far before an instant audio may legitimately be missing, in samples: the encoder's delay, a packet's length,
  /// the longest transit time of the last seconds, and a pause announced by the encoder.
  var timeUnderWay: Int64 {
    let latest = clock.history.since((clock.history.recent.last?.arrival ?? 0) - TrackSegment.recently)
    var ways = latest.map { $0.arrival - clock.captureTime(atMedia: $0.point.media) }
    ways.sort()
    // A single burst does not determine the usual transit time.
    let usual = ways.isEmpty ? 0 : ways[ways.count * 19 / 20]
    let way = max(0, min(TrackSegment.longestWay, 2 * usual, ways.last ?? 0))
    return Int64(way * SenderClock.rate) + Int64(OpusPacket.encoderLookahead) + lastDuration
      + (decoder?.announcedPause ?? 0)
  }

  /// Removes packets sent after the last rendered sample from the counts, because the take ends there.
  func endCounts() {
    guard let decoder, let placement else { return }
    let rest = placement.position - Double(decoder.openHole?.start ?? decoder.audio.end)
    let packets = lastDuration > 0 ? Int64(saturating: max(0, min(1e12, rest / Double(lastDuration))).rounded(.up)) : 0
    _ = delivery.split(from: min(decoder.next + packets, store.first?.sequence ?? .max))
  }

  /// One past the last packet's sample on the time line, by the current estimate.
  var end: Int64 { timeline(of: highest.timestamp + (store.last?.duration ?? 0)) }

  /// A line that fits the whole finished stream better than its placement did, and the difference in seconds. Streams
  /// with capture times need none, because these come nearly every second.
  var betterLine: (line: WholeTakeLine, distance: Double)? {
    clock.references.hasCaptureTimes ? nil : survey?.better
  }

  /// The error bounds of the placement, once it is over.
  var finalBounds: [BoundCurve.Stretch] { bounds.finished(by: clock) }

  /// The stretches of the time line, once it is over, in which a drop could have gone unnoticed, in order: its beginning,
  /// its end, where reports and arrivals contradict each other, or all of it.
  var unseenDrops: [Range<Int64>] {
    let bounds = finalBounds
    guard let piece, let first = bounds.first?.start, let last = bounds.last?.end, first < last else { return [] }
    guard let seen = clock.dropsSeen else { return [first..<last] }
    func place(_ media: Double) -> Int64 {
      min(last, max(first, trace.timeline(of: media * SenderClock.rate, upTo: piece)))
    }
    let (from, end) = (place(seen.lowerBound), place(seen.upperBound))
    guard from < end else { return [first..<last] }
    let doubtful = clock.witness.doubtful.map { range in
      let start = place(range.lowerBound)
      return start..<max(start, place(range.upperBound))
    }
    return ([first..<from, end..<last] + doubtful).filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }
  }

  /// The counts of this segment, complete once it is over.
  var finalStatistics: TrackStatistics {
    var statistics = statistics
    (statistics.expectedPackets, statistics.lostPackets) = (delivery.expected, delivery.lost)
    if let decoder {
      statistics.recoveredPackets += decoder.repairedByFEC
      statistics.concealedSamples = decoder.concealedSamples
    }
    return statistics
  }
}
