import Realtime

/// The parts of an RTP packet that a track's render needs.
struct IncomingAudio: Sendable, Codable {
  /// An older packet's Opus bytes repeated in this packet (RFC 2198).
  struct Copy: Sendable, Codable {
    /// Age relative to this packet, in RTP time units.
    var offset: UInt32
    @PackedBytes var payload: ArraySlice<UInt8>
  }

  /// SSRC.
  var source: UInt32
  var sequence: UInt16
  var timestamp: UInt32
  /// The Opus bytes; empty for padding.
  @PackedBytes var payload: ArraySlice<UInt8>
  /// Oldest first.
  var redundancy: [Copy] = []
  /// Capture time of the first sample, in seconds of the sender's NTP clock.
  var captureTime: Double?
}

extension IncomingAudio {
  /// Parses an RTP packet as negotiated; nil if it is malformed or of another payload type.
  init?(_ bytes: [UInt8], stream: JournalStream) {
    guard let packet = try? RTPPacket(parsing: bytes) else { return nil }
    source = packet.header.ssrc
    sequence = packet.header.sequenceNumber
    timestamp = packet.header.timestamp
    payload = packet.payload
    if let id = stream.absoluteCaptureTimeExtension {
      captureTime = packet.absoluteCaptureTime(id).map { SenderClock.seconds($0.captured) }
    }
    if packet.header.payloadType == stream.opusPayloadType || payload.isEmpty { return }
    // Redundant audio (RFC 2198) has its own payload type.
    guard packet.header.payloadType == stream.redPayloadType, let audio = try? RedundantAudio(parsing: payload),
      audio.primaryPayloadType == stream.opusPayloadType
    else { return nil }
    payload = audio.primary
    redundancy = audio.redundant
      .filter { $0.payloadType == stream.opusPayloadType && !$0.payload.isEmpty }
      .map { Copy(offset: $0.timestampOffset, payload: $0.payload) }
  }
}
