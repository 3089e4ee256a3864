import Machines

extension PeerSession {
  /// Queues an RTP packet of ours with the SSRC `configuration.localSSRC`; does nothing before the session is
  /// connected.
  package mutating func send(rtp packet: [UInt8], at now: MonotonicTime) {
    var sealed: [UInt8] = []
    withProtected(rtp: packet, at: now) { sealed = [UInt8]($0) }
    if !sealed.isEmpty { outputs.append(.send(sealed)) }
  }

  /// Protects an RTP packet of ours and passes the datagram to `body` without a copy. `body` is not called before the
  /// session is connected, or if sending is not permitted.
  package mutating func withProtected(
    rtp packet: [UInt8], at now: MonotonicTime, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    protect(packet, keeping: .own(packet), at: now, body)
  }

  private mutating func protect(
    _ packet: [UInt8], keeping kept: SentPacket, at now: MonotonicTime, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    latest = now
    guard configuration.maySend, path.isConnected, let header = try? RTPHeader(parsing: packet.span) else { return }
    packet.withUnsafeBytes { bytes in
      guard let sealed = path.seal(rtp: bytes) else { return }
      history?.store(kept, sequenceNumber: header.sequenceNumber, at: now)
      reports.sent(timestamp: header.timestamp, payloadLength: header.payloadRange.count, at: now)
      sentPackets &+= 1
      sentBytes &+= Int64(packet.count)
      body(sealed)
    }
  }

  /// Forwards a musician's packet to this subscriber, rewritten, and passes the datagram to `body`.
  ///
  /// `source` describes the format of the musician's packets. Retransmitted packets are forwarded too, because the
  /// subscriber misses them as well. The subscriber's own NACKs are answered from the history.
  package mutating func forward(
    _ packet: ReceivedPacket, from source: Forwarder.Source, at now: MonotonicTime,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    guard path.isConnected, let head = forwarder?.head(of: packet) else { return }
    // Moved out and back: one allocation for all packets.
    var bytes = rewritten
    rewritten = []
    forwarder?.write(head, packet.packet, from: source, into: &bytes)
    protect(bytes, keeping: .forwarded(packet.packet.bytes, as: head, from: source), at: now, body)
    rewritten = bytes
  }

  /// As `forward(_:from:at:_:)`, but queues the datagram as output.
  package mutating func forward(_ packet: ReceivedPacket, from source: Forwarder.Source, at now: MonotonicTime) {
    var sealed: [UInt8] = []
    forward(packet, from: source, at: now) { sealed = [UInt8]($0) }
    if !sealed.isEmpty { outputs.append(.send(sealed)) }
  }

  /// The bytes of a packet that is sent once more, before encryption: those of the first time.
  func bytes(of packet: SentPacket) -> [UInt8]? {
    switch packet {
    case .own(let bytes): return bytes
    case .forwarded(let original, let head, let source):
      guard let forwarder, let packet = try? RTPPacket(parsing: original) else { return nil }
      var bytes: [UInt8] = []
      forwarder.write(head, packet, from: source, into: &bytes)
      return bytes
    }
  }

  /// Sends the NACKs that are due.
  mutating func requestMissing(at now: MonotonicTime) {
    guard let due = incoming.deadline, due <= now else { return }
    for nack in incoming.nacks(at: now, sender: configuration.localSSRC) {
      var rest = nack.sequenceNumbers[...]
      while !rest.isEmpty {
        var part = nack
        part.sequenceNumbers = Array(rest.prefix(Self.mostRequestsInOne))
        rest = rest.dropFirst(Self.mostRequestsInOne)
        send(rtcp: configuration.reducedSizeRTCP ? [.nack(part)] : [emptyReport, name, .nack(part)])
      }
    }
  }

  /// Queues one RTCP compound.
  mutating func send(rtcp packets: [RTCPPacket]) {
    RTCPCompound.write(packets).withUnsafeBytes { bytes in
      if let sealed = path.seal(rtcp: bytes) { outputs.append(.send([UInt8](sealed))) }
    }
  }

  /// 250 numbers fit into 1200 bytes even if each needs its own entry of 4 bytes.
  private static var mostRequestsInOne: Int { 250 }

  private var emptyReport: RTCPPacket {
    .receiverReport(ReceiverReport(ssrc: configuration.localSSRC, blocks: []))
  }

  private var name: RTCPPacket {
    .sourceDescription(SourceDescription(ssrc: configuration.localSSRC, cname: configuration.cname))
  }
}
