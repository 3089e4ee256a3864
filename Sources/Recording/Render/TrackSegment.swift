import Machines

/// One part of a track with one RTP clock: from the start of a stream, or a step of its clock, to the next.
///
/// Sequence numbers are extended; RTP times count samples from the stream's first packet.
///
/// All of it is part of checkpoints.
final class TrackSegment: Codable {
  /// The packet in order with the highest number.
  struct Newest: Codable {
    var sequence: Int64
    var timestamp: Int64
    var arrival: Double
  }

  /// Packets older than this are from a previous life of the stream. (MAX_MISORDER of RFC 3550 appendix A.1 is less,
  /// but retransmissions come up to 4 s late, which is 1600 packets of 2.5 ms.)
  private static let greatestMisorder = 3_000
  /// Largest disagreement between RTP time and arrival before the stream counts as restarted, in seconds. Consecutive
  /// packets may come even later, if a path held them or the recorder stalled. If the microphone stalled, the clock
  /// shows a step.
  private static let greatestMismatch = 3.0
  /// Longest time for which a path holds packets that are then overtaken, in seconds.
  private static let greatestDelay = 24.0
  /// Longest packet in samples: 120 ms (RFC 6716 section 3.2.5).
  private static let longestPacket: Int64 = 5_760
  /// A packet this much later than the one after it was due is a retransmission, in seconds: by then, reordering is
  /// over.
  private static let reorderGrace = 0.01

  let source: UInt32
  /// RTP time of the stream's first packet, minus the samples of all standstills since.
  private var base: UInt32
  /// The standstills as far back as packets may still arrive.
  var standstills = Standstills()
  private(set) var clock: SenderClock
  var store = PacketStore()
  var decoder: StreamDecoder?
  var placement: Placement?
  /// The line of a whole-take survey, if it differs from `clock`.
  let line: WholeTakeLine?
  @Unstored var survey: WholeTakeSurvey?
  let key: StreamKey
  var highest: Newest
  /// The last number before numbers jumped so far that late ones could be taken for others.
  private var lastBeforeJump: Int64?
  /// Length of the audio packet with the highest number, in samples.
  private(set) var lastDuration: Int64 = 0
  var delivery: DeliveryCount
  /// End of the newest packet that came as fast as any, in samples of the stream: nothing before it was left out.
  private(set) var undelayed = Int64.min
  /// Error bounds of the placement so far.
  var bounds = BoundCurve()
  /// The end of the placement so far, without bounds yet.
  var unsettled = UnsettledPieces()
  /// The first sequence number and RTP time of this segment.
  private(set) var firstSequence: Int64
  private(set) var firstTimestamp: Int64
  private(set) var statistics = TrackStatistics()
  /// The current piece of the time line.
  var piece: Placement.Piece?
  /// All pieces so far, roughly.
  var trace = PlacementTrace()
  /// True if it follows another segment of the same stream after a clock step.
  let followsStep: Bool

  /// The progress of the stream over time.
  private var progress = StreamProgress()

  /// Starts a stream of `track` with its first packet.
  init(
    _ packet: IncomingAudio, arrival: Double, after earlier: SenderClock?, track: Int, hasSilentClock: Bool,
    options: RenderOptions
  ) {
    source = packet.source
    base = packet.timestamp
    // One cycle of sequence numbers below the first leaves room for earlier packets that arrive later.
    firstSequence = 65_536 + Int64(packet.sequence)
    firstTimestamp = 0
    highest = Newest(sequence: firstSequence - 1, timestamp: 0, arrival: arrival)
    delivery = DeliveryCount(first: firstSequence)
    clock = SenderClock(after: earlier, isSilent: hasSilentClock)
    key = StreamKey(track: track, source: source, base: base, sequence: firstSequence)
    line = options.lines[key]
    survey = options.isSurvey ? WholeTakeSurvey() : nil
    followsStep = false
  }

  /// Takes over the packets of `earlier` from the step on.
  private init(from step: ClockStep, of earlier: TrackSegment, packets: [StoredPacket], options: RenderOptions) {
    source = earlier.source
    base = earlier.base
    standstills = earlier.standstills
    highest = earlier.highest
    lastBeforeJump = earlier.lastBeforeJump
    clock = SenderClock(after: earlier.clock)
    progress = earlier.progress
    firstSequence = packets.first?.sequence ?? step.sequence
    firstTimestamp = packets.first?.timestamp ?? earlier.highest.timestamp
    lastDuration = earlier.lastDuration
    delivery = earlier.delivery.split(from: firstSequence)
    key = StreamKey(track: earlier.key.track, source: source, base: base, sequence: firstSequence)
    line = options.lines[key]
    survey = options.isSurvey ? WholeTakeSurvey() : nil
    followsStep = true
    for packet in packets { _ = store.insert(packet) }
    for entry in earlier.clock.history.recent where entry.sequence >= step.sequence {
      clock.observe(
        packet: entry.sequence, endingAt: entry.point.media, arrival: entry.arrival, isInOrder: true)
    }
  }

  /// The position of a packet in this stream; nil if it belongs to another (another source, or a restart of this
  /// one).
  func place(_ packet: IncomingAudio, arrival: Double) -> (sequence: Int64, timestamp: Int64)? {
    guard packet.source == source else { return nil }
    let step = Int64(Int16(truncatingIfNeeded: Int64(packet.sequence) - highest.sequence))
    let expected = UInt32(truncatingIfNeeded: highest.timestamp) &+ base
    let elapsed = Int64(Int32(bitPattern: packet.timestamp &- expected))
    let timestamp = highest.timestamp + elapsed
    let lateness = arrival - highest.arrival - Double(elapsed) / SenderClock.rate
    let mismatch = abs(lateness)
    let age = Double(-elapsed) / SenderClock.rate
    if (0..<TrackSegment.greatestDelay).contains(age), let late = numberBeforeJump(highest.sequence + step) {
      return (late, timestamp - standstills.samples(behind: late))
    }
    if step > 0 {
      let followsOn =
        step < TrackSegment.greatestMisorder && elapsed > 0 && elapsed <= step * TrackSegment.longestPacket
      let belongs = mismatch < TrackSegment.greatestMismatch || (followsOn && lateness > -TrackSegment.greatestDelay)
      return belongs ? (highest.sequence + step, timestamp) : nil
    }
    if elapsed > 0 {
      // The numbers jumped, or wrapped around in a pause. RTP time goes on, and so does what is known of the sender's
      // clocks.
      return mismatch < TrackSegment.greatestMismatch ? (highest.sequence + step + 65_536, timestamp) : nil
    }
    guard step > -TrackSegment.greatestMisorder, age < TrackSegment.greatestDelay else { return nil }
    return (highest.sequence + step, timestamp - standstills.samples(behind: highest.sequence + step))
  }

  /// The number of a late packet from before the last jump, which may seem to be ahead; nil if it is none.
  private func numberBeforeJump(_ sequence: Int64) -> Int64? {
    guard let last = lastBeforeJump else { return nil }
    return [sequence, sequence - 65_536].first { $0 <= last && $0 > last - Int64(TrackSegment.greatestMisorder) }
  }

  /// Takes a packet with the position `place`.
  func receive(_ packet: IncomingAudio, at place: (sequence: Int64, timestamp: Int64), arrival: Double) {
    let opus = OpusPacket(packet.payload.span)
    let stored = StoredPacket(
      sequence: place.sequence, timestamp: place.timestamp, payload: packet.payload, opus: opus, isRedundant: false)
    let isInOrder = place.sequence > highest.sequence
    // Later than the newest packet's transit suggests: the packet after it showed that it was missing.
    let lateness = arrival - highest.arrival + Double(highest.timestamp - place.timestamp) / SenderClock.rate
    let noticed = Double(stored.duration) / SenderClock.rate + TrackSegment.reorderGrace
    let isRepair = !isInOrder && lateness > noticed
    if opus != nil {
      survey?.observe(
        packetEndingAt: Double(place.timestamp + stored.duration) / SenderClock.rate, arrival: arrival)
      let end = place.timestamp + stored.duration
      let media = Double(end) / SenderClock.rate
      clock.observe(packet: place.sequence, endingAt: media, arrival: arrival, isInOrder: isInOrder)
      if isInOrder, clock.isUndelayed(endingAt: media, arrival: arrival) { undelayed = end }
    }
    if let time = packet.captureTime {
      clock.observe(
        captureTime: time, media: Double(place.timestamp) / SenderClock.rate, arrival: arrival)
    }
    if isInOrder { noteStep(to: stored) }
    let isNew = delivery.deliver(stored.sequence)
    insert(stored, isRepair: isRepair, isNew: isNew)
    for (index, copy) in packet.redundancy.enumerated() {
      // RFC 2198 has no sequence numbers for copies; audio senders repeat the packets just before.
      let distance = Int64(packet.redundancy.count - index)
      let copied = StoredPacket(
        sequence: place.sequence - distance, timestamp: place.timestamp - Int64(copy.offset), payload: copy.payload,
        opus: OpusPacket(copy.payload.span), isRedundant: true)
      guard copied.opus != nil, copied.sequence > firstSequence else { continue }
      insert(copied, isRepair: false, isNew: delivery.deliver(copied.sequence))
    }
    if isInOrder {
      if place.sequence - highest.sequence >= TrackSegment.greatestMisorder { lastBeforeJump = highest.sequence }
      highest = Newest(sequence: place.sequence, timestamp: place.timestamp, arrival: arrival)
      progress.note(lastPosition: place.timestamp + stored.duration, at: arrival)
    }
  }

  /// Sequence numbers without room in RTP time were never packets.
  private func noteStep(to packet: StoredPacket) {
    let step = SequenceStep(
      missing: packet.sequence - highest.sequence - 1, room: packet.timestamp - highest.timestamp - lastDuration,
      shortest: lastDuration > 0 && packet.duration > 0
        ? min(lastDuration, packet.duration) : max(lastDuration, packet.duration))
    if step.missing > 0, !step.isLoss { delivery.jump(to: packet.sequence) }
    if packet.duration > 0 { lastDuration = packet.duration }
  }

  private func insert(_ packet: StoredPacket, isRepair: Bool, isNew: Bool) {
    if let decoder, packet.sequence < decoder.next {
      guard !packet.isRedundant else { return }
      // What was sent again needlessly is no loss, however late it comes.
      if isNew { statistics.latePackets += 1 } else { statistics.duplicatePackets += 1 }
      return
    }
    if decoder == nil, packet.sequence < firstSequence {
      (firstSequence, firstTimestamp) = (packet.sequence, packet.timestamp)
    }
    switch store.insert(packet) {
    case .stored: if isRepair || packet.isRedundant { statistics.recoveredPackets += 1 }
    case .duplicate: if !packet.isRedundant { statistics.duplicatePackets += 1 }
    case .refused: statistics.refusedPackets += 1
    }
  }

  /// True if only one packet has arrived.
  var isLonePacket: Bool { highest.sequence == firstSequence && store.count <= 1 }

  /// The sample of the time line up to which packets had arrived by `time`, by the current estimate; nil if none had.
  func end(by time: Double) -> Int64? { progress.position(by: time).map(timeline(of:)) }

  /// One past the last waiting packet's sample on the time line; nil if none is waiting.
  var waitingEnd: Int64? { store.last.map { timeline(of: $0.timestamp + $0.duration) } }

  func timeline(of position: Int64) -> Int64 {
    piece?.timeline(of: Double(position)) ?? begin(of: position)
  }

  /// The position on the time line of the stream's sample `position` if it is the first.
  func begin(of position: Int64) -> Int64 {
    if let line { Placement.start(of: position, line) } else { Placement.start(of: position, clock) }
  }

  /// Releases packets that will not be heard because another stream plays up to sample `start` of the time line;
  /// false if nothing is left.
  func forget(before start: Int64) -> Bool {
    // Enough is kept for the decoder to settle before this stream is played: 80 ms (RFC 7845 section 4.6).
    let time = Double(start) / SenderClock.rate
    let position = (line?.media(at: time) ?? clock.media(at: time)) * SenderClock.rate - 3_840
    let waiting = store.count
    while let first = store.first, Double(first.timestamp + first.duration) < position { store.removeFirst() }
    // What nobody will hear is not expected.
    if store.count < waiting { delivery = delivery.split(from: store.first?.sequence ?? .max) }
    guard let first = store.first else { return false }
    (firstSequence, firstTimestamp) = (first.sequence, first.timestamp)
    return true
  }

  /// Passes other observations to the sender's clock.
  func observe(_ body: (inout SenderClock) -> Void) {
    body(&clock)
  }

  /// Takes a sender report: the sender's NTP clock was at `senderTime` seconds at RTP time `timestamp`.
  func observe(senderReport senderTime: Double, timestamp: UInt32, arrival: Double) {
    let media = media(of: timestamp)
    clock.observe(senderReport: senderTime, media: media, arrival: arrival)
    survey?.observe(report: senderTime, media: media)
  }

  /// The media time (seconds from the stream's first packet) of an RTP time near the newest.
  private func media(of timestamp: UInt32) -> Double {
    let newest = UInt32(truncatingIfNeeded: highest.timestamp) &+ base
    return Double(highest.timestamp + Int64(Int32(bitPattern: timestamp &- newest))) / SenderClock.rate
  }

  /// Checks for steps of the clock. After a standstill of RTP time, the segment continues with later times; at any
  /// other step it ends, and the rest is returned.
  ///
  /// - Parameter isEnd: true if no more packets will come.
  func followSteps(now: Double, isEnd: Bool = false, options: RenderOptions) -> TrackSegment? {
    while var step = clock.step(at: now, isEnd: isEnd) {
      guard step.standstill != nil else {
        if let decoder { step.sequence = max(step.sequence, decoder.next) }
        return TrackSegment(from: step, of: self, packets: store.split(from: step.sequence), options: options)
      }
      // Latest first: the standstills before it then keep their positions.
      for step in [step] + step.earlier.reversed() { follow(standstill: step) }
    }
    return nil
  }

  /// Advances RTP time over a standstill.
  private func follow(standstill step: ClockStep) {
    guard let media = step.standstill else { return }
    // What was rendered lies where the clock had it until now.
    settleBounds { _ in true }
    let sequence = max(step.sequence, decoder?.next ?? .min)
    // Rounded to whole samples.
    let samples = Int64(saturating: step.size * SenderClock.rate)
    clock.insert(standstill: Double(samples) / SenderClock.rate, at: media, announcedAt: step.announcedAt)
    survey?.insert(standstill: Double(samples) / SenderClock.rate, at: media)
    store.delay(from: sequence, by: samples)
    standstills.add(
      samples, before: sequence, between: step.doubtful, oldest: highest.sequence - Int64(TrackSegment.greatestMisorder)
    )
    base &-= UInt32(truncatingIfNeeded: samples)
    highest.timestamp += samples
  }
}
