import Realtime

/// What a track's render wants to know of an RTP packet.
struct IncomingAudio: Sendable {
  /// An older packet's Opus bytes that this one carries again (RFC 2198).
  struct Copy: Sendable {
    /// RTP time units by which it is older.
    var offset: UInt32
    var payload: ArraySlice<UInt8>
  }

  /// SSRC.
  var source: UInt32
  var sequence: UInt16
  var timestamp: UInt32
  /// The Opus bytes; empty for padding.
  var payload: ArraySlice<UInt8>
  /// Oldest first.
  var redundancy: [Copy] = []
  /// When the first sample was captured, in seconds of the sender's NTP clock.
  var captureTime: Double?
}

extension IncomingAudio {
  /// Reads an RTP packet by what was negotiated; nil for what is none, or of another payload type.
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
    // Redundant audio (RFC 2198) in a payload type of its own.
    guard packet.header.payloadType == stream.redPayloadType, let audio = try? RedundantAudio(parsing: payload),
      audio.primaryPayloadType == stream.opusPayloadType
    else { return nil }
    payload = audio.primary
    redundancy = audio.redundant
      .filter { $0.payloadType == stream.opusPayloadType && !$0.payload.isEmpty }
      .map { Copy(offset: $0.timestampOffset, payload: $0.payload) }
  }
}
