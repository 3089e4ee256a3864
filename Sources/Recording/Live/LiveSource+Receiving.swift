import Machines
import Realtime

extension LiveSource {
  /// Largest jump ahead: a timestamp further away starts another time line. One second.
  static let farthest: Int64 = 48_000
  /// Maximum number of waiting packets: one second of the shortest.
  private static let capacity = 400
  /// If everything comes too late for this long, the path has become longer.
  private static let lateness = MonotonicTime.Span.milliseconds(100)
  /// When sound is lost anyway, the delay jumps to the wanted one if that is this much higher, in seconds.
  private static let shortfall = 0.01
  /// For this long after a stream change, packets of the former stream count as stragglers.
  private static let farewell = MonotonicTime.Span.seconds(1)
  /// A packet longer than 20 ms that is partly late is still decoded for its rest. The rest of a shorter one would
  /// end a concealment with a discontinuity.
  private static let shortest = 960

  /// Larger sequence numbers and timestamps are invalid; sums of smaller ones cannot overflow.
  private static let greatestNumber: UInt64 = 1 << 60

  /// Takes a packet of the musician.
  mutating func take(_ received: ReceivedPacket, reading: Forwarder.Source) {
    counts.packets += 1
    guard !received.isDuplicate else {
      counts.duplicates += 1
      return
    }
    let payload = received.packet.payload
    let bytes = reading.opusPayload(of: received.packet)
    let opus = OpusPacket(bytes.span)
    guard opus != nil || payload.isEmpty, received.extendedSequence.magnitude < LiveSource.greatestNumber else {
      counts.garbage += 1
      return
    }
    guard follow(received) else {
      counts.late += 1
      return
    }
    let timestamp = place(received)
    let packet = StoredPacket(
      sequence: received.extendedSequence, timestamp: timestamp, payload: bytes, opus: opus, isRedundant: false)
    if opus != nil, let origin, !received.isRepair {
      let time = origin.seconds(received.arrival)
      jitter.add(transit: time - Double(timestamp) / SenderClock.rate, at: time)
    }
    lastArrival = max(lastArrival ?? received.arrival, received.arrival)
    if payload.count != bytes.count { takeRedundancy(payload, of: packet, reading: reading) }
    if isLate(packet) {
      counts.late += 1
      if opus != nil, !received.isRepair { answerLateness(of: packet, received) }
    } else {
      lateSince = nil
      insert(packet)
    }
  }

  /// Detects a change of stream; false for a straggler of a former one.
  private mutating func follow(_ received: ReceivedPacket) -> Bool {
    let next = Stream(of: received)
    guard let present = stream else {
      stream = next
      return true
    }
    guard next != present else { return true }
    let isAlive = lastArrival.map { received.arrival - $0 < LiveSource.farewell } ?? false
    if isAlive {
      if next.ssrc == present.ssrc, next.segment < present.segment { return false }
      if let former, former.stream == next, received.arrival - former.left < LiveSource.farewell { return false }
    }
    former = (present, received.arrival)
    stream = next
    begin(with: received.extendedTimestamp, at: received.arrival)
    return true
  }

  /// The packet's timestamp relative to the origin; restarts if it lies far ahead.
  private mutating func place(_ received: ReceivedPacket) -> Int64 {
    if let history = takeHistory(), voice == nil, let timestamp = history.position(of: received) {
      begin(with: history, limits)
      return timestamp
    }
    if let origin, let voice {
      let (timestamp, overflow) = received.extendedTimestamp.subtractingReportingOverflow(origin.timestamp)
      let present = voice.position ?? Double(voice.store.first?.timestamp ?? Origin.lead)
      if !overflow, Double(timestamp) - present < Double(LiveSource.farthest), timestamp.magnitude < 1 << 48 {
        return timestamp
      }
    }
    begin(with: received.extendedTimestamp, at: received.arrival)
    return Origin.lead
  }

  /// True if its playout time has passed.
  private func isLate(_ packet: StoredPacket) -> Bool {
    if packet.timestamp < 0 { return true }
    guard let decoder = voice?.decoder else { return false }
    if packet.sequence < decoder.next { return true }
    let played = decoder.audio.end - packet.timestamp
    guard played > 0 else { return false }
    return packet.duration <= LiveSource.shortest || played > packet.duration / 2
  }

  /// Adapts the delay now, since sound has been lost anyway.
  private mutating func answerLateness(of packet: StoredPacket, _ received: ReceivedPacket) {
    let since = lateSince ?? received.arrival
    lateSince = since
    if received.arrival - since >= LiveSource.lateness {
      counts.concealedFrames += voice?.decoder?.openHole?.concealed ?? 0
      begin(with: received.extendedTimestamp, at: received.arrival)
      var first = packet
      first.timestamp = Origin.lead
      insert(first)
    } else if packet.timestamp >= 0, let wanted = jitter.wanted, wanted - delay > LiveSource.shortfall {
      replaceVoice()
      insert(packet)
    }
  }

  private mutating func insert(_ packet: StoredPacket) {
    guard let count = voice?.store.count, count < LiveSource.capacity else {
      counts.refused += 1
      return
    }
    switch voice?.store.insert(packet) {
    case .stored: if packet.isRedundant { counts.recovered += 1 }
    case .duplicate: if !packet.isRedundant { counts.duplicates += 1 }
    case .refused, nil: counts.refused += 1
    }
  }

  /// Takes the older frames repeated in a RED packet (RFC 2198) whose playout time is still to come.
  private mutating func takeRedundancy(
    _ payload: ArraySlice<UInt8>, of packet: StoredPacket, reading: Forwarder.Source
  ) {
    guard let audio = try? RedundantAudio(parsing: payload) else { return }
    for (index, copy) in audio.redundant.enumerated() where copy.payloadType == reading.opusPayloadType {
      // RFC 2198 has no sequence numbers for copies; audio senders repeat the packets just before.
      let copied = StoredPacket(
        sequence: packet.sequence - Int64(audio.redundant.count - index),
        timestamp: packet.timestamp - Int64(copy.timestampOffset), payload: copy.payload,
        opus: OpusPacket(copy.payload.span), isRedundant: true)
      guard copied.opus != nil, !isLate(copied) else { continue }
      insert(copied)
    }
  }
}
