import Machines

extension Forwarder {
  /// The subscriber's side: what the rewritten packets look like.
  package struct Configuration: Hashable, Sendable {
    package var ssrc: UInt32
    /// Opus, as the subscriber numbers it.
    package var payloadType: UInt8
    /// The media section's name, sent where `extensions.mid` is set.
    package var mid: String?
    /// The subscriber's ids; nil where it did not agree to the extension.
    package var extensions: NegotiatedSession.ExtensionIDs
    /// Where numbers and times begin; random by RFC 3550 §5.1, and chosen by the caller.
    package var firstSequenceNumber: UInt16
    package var firstTimestamp: UInt32
    /// Ticks a second.
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

    /// The side of a subscriber with whom `session` was agreed.
    package init(ssrc: UInt32, session: NegotiatedSession, firstSequenceNumber: UInt16, firstTimestamp: UInt32) {
      self.init(
        ssrc: ssrc, payloadType: session.opusPayloadType, mid: session.mid, extensions: session.extensions,
        firstSequenceNumber: firstSequenceNumber, firstTimestamp: firstTimestamp)
    }
  }

  /// The musician's side: how to read the packets that come in.
  package struct Source: Hashable, Sendable {
    package var opusPayloadType: UInt8
    /// RED, where the musician may send it.
    package var redPayloadType: UInt8?
    package var extensions: NegotiatedSession.ExtensionIDs

    package init(
      opusPayloadType: UInt8, redPayloadType: UInt8? = nil, extensions: NegotiatedSession.ExtensionIDs = .init()
    ) {
      self.opusPayloadType = opusPayloadType
      self.redPayloadType = redPayloadType
      self.extensions = extensions
    }

    /// The side of a musician with whom `session` was agreed.
    package init(session: NegotiatedSession) {
      self.init(
        opusPayloadType: session.opusPayloadType, redPayloadType: session.redPayloadType,
        extensions: session.extensions)
    }

    /// The newest Opus frame of a packet, empty where it holds none.
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
