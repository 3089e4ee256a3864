import Machines

/// Rewrites a musician's packets for one subscription: own SSRC and payload type, continuous sequence numbers and
/// timestamps whatever the source does, and only negotiated header extensions.
package struct Forwarder: Sendable {
  /// The mapping of the current source to our stream.
  private struct Mapping {
    let ssrc: UInt32
    let segment: Int
    /// The first forwarded number of the source; older ones would overlap the previous source.
    let first: Int64
    /// Ours minus the source's.
    let sequenceOffset: Int64
    let timestampOffset: Int64
  }

  /// Minimum timestamp step across a change of source, in ticks: one packet of 10 ms at 48 kHz.
  private static let leastStep: Int64 = 480

  package let configuration: Configuration
  /// Number of source changes, takeovers and restarts.
  package private(set) var sourceChanges = 0
  /// Packets not forwarded: duplicates, and those older than the source's first.
  package private(set) var skipped = 0

  private var mapping: Mapping?
  private var nextSequence: Int64
  private var lastTimestamp: Int64
  private var lastArrival: MonotonicTime?
  private let mid: [UInt8]

  package init(_ configuration: Configuration) {
    self.configuration = configuration
    nextSequence = Int64(configuration.firstSequenceNumber)
    lastTimestamp = Int64(configuration.firstTimestamp)
    mid = Array((configuration.mid ?? "").utf8.prefix(RTPHeaderExtension.lengthLimit))
  }

  /// Returns the head that a packet has for the subscriber, for `write`; nil if there is nothing to forward.
  package mutating func head(of received: ReceivedPacket) -> RTPWriter? {
    guard !received.isDuplicate else {
      skipped &+= 1
      return nil
    }
    let header = received.packet.header
    var marker = header.marker
    let line: Mapping
    if let mapping, mapping.ssrc == header.ssrc, mapping.segment == received.segment {
      line = mapping
    } else {
      // A late packet of an earlier segment must not switch the stream back, nor may a retransmission from an earlier
      // source.
      if let mapping, received.isRepair || (mapping.ssrc == header.ssrc && received.segment < mapping.segment) {
        skipped &+= 1
        return nil
      }
      line = changeSource(to: received)
      marker = true
    }
    guard received.extendedSequence >= line.first else {
      skipped &+= 1
      return nil
    }
    let sequence = received.extendedSequence &+ line.sequenceOffset
    let timestamp = received.extendedTimestamp &+ line.timestampOffset
    if sequence >= nextSequence {
      nextSequence = sequence &+ 1
      lastTimestamp = timestamp
      lastArrival = received.arrival
    }
    return RTPWriter(
      payloadType: configuration.payloadType, marker: marker, sequenceNumber: UInt16(truncatingIfNeeded: sequence),
      timestamp: UInt32(truncatingIfNeeded: timestamp), ssrc: configuration.ssrc)
  }

  /// Switches to a new source: the next number, with the timestamp advanced by the difference in arrival.
  private mutating func changeSource(to received: ReceivedPacket) -> Mapping {
    if mapping != nil { sourceChanges &+= 1 }
    var timestamp = lastTimestamp
    if let lastArrival {
      let elapsed = (received.arrival - lastArrival).seconds * Double(configuration.clockRate)
      // 2³¹ ticks are half a day; a larger step would look like a backward one.
      timestamp &+= max(Int64(min(max(elapsed, 0), 0x7FFF_FFFF)), Self.leastStep)
    }
    let line = Mapping(
      ssrc: received.packet.header.ssrc, segment: received.segment, first: received.extendedSequence,
      sequenceOffset: nextSequence &- received.extendedSequence,
      timestampOffset: timestamp &- received.extendedTimestamp)
    mapping = line
    return line
  }

  /// Replaces `bytes` by the packet for the subscriber. The same arguments give the same bytes, however often: a second
  /// sending may not encrypt anything else under a number (RFC 3711 §9.1).
  ///
  /// RED is unwrapped to its newest frame. A packet without Opus (padding, comfort noise, a malformed RED payload) is
  /// forwarded empty, so that the subscriber does not keep requesting its number.
  package func write(_ head: RTPWriter, _ packet: RTPPacket, from source: Source, into bytes: inout [UInt8]) {
    let payload = source.opusPayload(of: packet)
    let ours = configuration.extensions
    let span = packet.bytes.span
    let header = packet.header

    var area = ExtensionArea()
    let midID = mid.isEmpty ? nil : ours.mid
    if let midID { area.add(length: mid.count, fitsOneByteForm: Self.fits(midID, mid.count)) }
    let level = Self.element(ours.audioLevel, source.extensions.audioLevel, header, span)
    if let level { area.add(length: level.data.count, fitsOneByteForm: Self.fits(level.id, level.data.count)) }
    let capture = Self.element(ours.absoluteCaptureTime, source.extensions.absoluteCaptureTime, header, span)
    if let capture { area.add(length: capture.data.count, fitsOneByteForm: Self.fits(capture.id, capture.data.count)) }

    bytes.removeAll(keepingCapacity: true)
    bytes.reserveCapacity(RTPHeader.fixedLength &+ area.length &+ payload.count)
    head.appendFixedPart(to: &bytes, hasExtension: area.length > 0)
    if area.length > 0 {
      area.appendHead(to: &bytes)
      if let midID { area.append(id: midID, mid, to: &bytes) }
      if let level { area.append(id: level.id, packet.bytes[level.data], to: &bytes) }
      if let capture { area.append(id: capture.id, packet.bytes[capture.data], to: &bytes) }
      area.appendPadding(to: &bytes)
    }
    bytes.append(contentsOf: payload)
  }

  /// The source's extension element with the subscriber's id; nil unless both negotiated it.
  private static func element(
    _ ours: UInt8?, _ theirs: UInt8?, _ header: RTPHeader, _ bytes: Span<UInt8>
  ) -> (id: UInt8, data: Range<Int>)? {
    guard let ours, ours > 0, let theirs, let data = header.extensionElement(theirs, in: bytes) else { return nil }
    return (ours, data)
  }

  private static func fits(_ id: UInt8, _ length: Int) -> Bool {
    (1...14).contains(id) && (1...16).contains(length)
  }
}

extension Forwarder {
  /// The subscriber's side: the format of the rewritten packets.
  package struct Configuration: Hashable, Sendable {
    package var ssrc: UInt32
    /// The subscriber's payload type of Opus.
    package var payloadType: UInt8
    /// The mid, sent if `extensions.mid` is set.
    package var mid: String?
    /// The subscriber's extension ids; nil if not negotiated.
    package var extensions: NegotiatedSession.ExtensionIDs
    /// Initial sequence number and timestamp; random by RFC 3550 §5.1, and chosen by the caller.
    package var firstSequenceNumber: UInt16
    package var firstTimestamp: UInt32
    /// Ticks per second.
    package var clockRate: Int

    package init(
      ssrc: UInt32, payloadType: UInt8, mid: String? = nil, extensions: NegotiatedSession.ExtensionIDs = .init(),
      firstSequenceNumber: UInt16 = 0, firstTimestamp: UInt32 = 0, clockRate: Int = 48_000
    ) {
      self.ssrc = ssrc
      self.payloadType = payloadType
      self.mid = mid
      self.extensions = extensions
      self.firstSequenceNumber = firstSequenceNumber
      self.firstTimestamp = firstTimestamp
      self.clockRate = clockRate
    }

    /// Creates the configuration for a subscriber with the negotiated `session`.
    package init(ssrc: UInt32, session: NegotiatedSession, firstSequenceNumber: UInt16, firstTimestamp: UInt32) {
      self.init(
        ssrc: ssrc, payloadType: session.opusPayloadType, mid: session.mid, extensions: session.extensions,
        firstSequenceNumber: firstSequenceNumber, firstTimestamp: firstTimestamp)
    }
  }

  /// The musician's side: the format of the incoming packets.
  package struct Source: Hashable, Sendable {
    package var opusPayloadType: UInt8
    /// The payload type of RED, if the musician may send it.
    package var redPayloadType: UInt8?
    package var extensions: NegotiatedSession.ExtensionIDs

    package init(
      opusPayloadType: UInt8, redPayloadType: UInt8? = nil, extensions: NegotiatedSession.ExtensionIDs = .init()
    ) {
      self.opusPayloadType = opusPayloadType
      self.redPayloadType = redPayloadType
      self.extensions = extensions
    }

    /// Creates the source for a musician with the negotiated `session`.
    package init(session: NegotiatedSession) {
      self.init(
        opusPayloadType: session.opusPayloadType, redPayloadType: session.redPayloadType,
        extensions: session.extensions)
    }

    /// The newest Opus frame of a packet; empty if it contains none.
    package func opusPayload(of packet: RTPPacket) -> ArraySlice<UInt8> {
      let payload = packet.payload
      let type = packet.header.payloadType
      if type == opusPayloadType { return payload }
      guard type == redPayloadType, let layout = try? RedundancyLayout(parsing: payload),
        layout.primaryPayloadType == opusPayloadType
      else { return payload.prefix(0) }
      return payload.dropFirst(layout.primaryStart)
    }
  }
}
