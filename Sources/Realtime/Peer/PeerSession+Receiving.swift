import Machines

extension PeerSession {
  /// Takes one datagram from the path. Returns true for authentic, well-formed media and for datagrams of a
  /// handshake; all others are dropped and counted in `statistics.refusals`.
  ///
  /// - Parameters:
  ///   - now: the time of this call, used for requests and retransmissions.
  ///   - arrival: arrival time of the datagram, if known to be earlier; used for measurements and recording.
  @discardableResult
  package mutating func receive(
    _ datagram: UnsafeRawBufferPointer, at now: MonotonicTime, arrival: MonotonicTime? = nil
  ) -> Bool {
    latest = now
    return take(datagram, at: now, arrival: arrival ?? now)
  }

  /// As `receive`, but without advancing the session's time: held datagrams keep their own arrival.
  mutating func take(
    _ datagram: UnsafeRawBufferPointer, at now: MonotonicTime, arrival: MonotonicTime
  ) -> Bool {
    let kind = DatagramKind(datagram)
    switch kind {
    case .dtls:
      path.receive(dtls: datagram, at: now)
      collect(at: now)
      return path.hasHandshake
    case .rtp:
      guard let plain = path.open(datagram, kind: kind, at: arrival) else { return false }
      return take(rtp: plain, at: now, arrival: arrival)
    case .rtcp:
      guard let plain = path.open(datagram, kind: kind, at: arrival) else { return false }
      return take(rtcp: plain, at: now, arrival: arrival)
    case .other:
      path.refuse(\.garbage)
      return false
    }
  }

  /// Takes a round trip of the path that was measured below this session: where the peer answers reports seldom or never, the
  /// requests for missing packets go by it.
  package mutating func observe(roundTrip: MonotonicTime.Span) {
    reports.add(roundTrip: roundTrip)
    if let roundTrip = reports.roundTrip { incoming.roundTrip = roundTrip }
  }

  private mutating func take(
    rtp plain: UnsafeRawBufferPointer, at now: MonotonicTime, arrival: MonotonicTime
  ) -> Bool {
    guard let packet = try? RTPPacket(parsing: [UInt8](plain)) else {
      path.refuse(\.malformed)
      return false
    }
    guard configuration.mayReceive, packet.header.ssrc == configuration.onlySource ?? packet.header.ssrc else {
      path.refuse(\.unwanted)
      return false
    }
    outputs.append(.rtp(incoming.handle(packet, at: now, arrival: arrival)))
    farewell = nil
    return true
  }

  private mutating func take(
    rtcp plain: UnsafeRawBufferPointer, at now: MonotonicTime, arrival: MonotonicTime
  ) -> Bool {
    let compound = [UInt8](plain)
    guard let packets = try? RTCPCompound.parse(compound) else {
      path.refuse(\.malformed)
      return false
    }
    outputs.append(.rtcp(compound, arrival))
    var saysGoodbye = false
    for packet in packets {
      incoming.handle(packet, at: arrival)
      reports.received(packet, at: arrival)
      switch packet {
      case .nack(let nack): answer(nack, at: now)
      case .goodbye: saysGoodbye = true
      default: break
      }
    }
    if let roundTrip = reports.roundTrip { incoming.roundTrip = roundTrip }
    if saysGoodbye, !path.hasHandshake, incoming.hasLeft { farewell = now + Self.farewell }
    return true
  }

  /// Retransmits packets that a subscriber misses; the history limits how often.
  private mutating func answer(_ nack: GenericNack, at now: MonotonicTime) {
    guard history != nil, nack.media == configuration.localSSRC else { return }
    for number in nack.sequenceNumbers {
      guard let packet = history?.packet(number, at: now, roundTrip: reports.roundTrip ?? .zero),
        let bytes = bytes(of: packet)
      else { continue }
      bytes.withUnsafeBytes { bytes in
        if let sealed = path.seal(rtp: bytes) { outputs.append(.send([UInt8](sealed))) }
      }
    }
  }
}
