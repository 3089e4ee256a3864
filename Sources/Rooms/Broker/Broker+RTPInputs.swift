import Music
import Signaling

extension Broker {
  /// Opens a UDP port for plain RTP and gives its sender a seat.
  /// - Throws: `RoomRefusal` as for any join, if the key does not fit the profile, or if no port is free.
  package func addRTPInput(in name: RoomName, _ request: RTPInputRequest) async throws(RoomRefusal) -> RTPInput {
    try check(request)
    let join = JoinRequest(
      name: request.name, role: .musician, part: request.part, consents: request.consents, door: .rtp,
      // A new input of the same name continues a lost one; only an operator opens inputs.
      address: "an RTP input", link: .resource)
    let membership = try await enter(name, join)
    do throws(RoomRefusal) {
      guard let room = existing(name) else {
        throw RoomRefusal(.unavailable, "the room has just been closed; try again")
      }
      let opened = try await room.openInput(request, for: membership.participant)
      let id = "\(membership.participant)"
      inputs.add(.init(room: name, membership: membership), id: id)
      return RTPInput(
        id: id, host: opened.host, port: opened.port, participant: membership.participant, ssrc: opened.ssrc,
        profile: request.profile, payloadType: request.payloadType)
    } catch {
      await membership.leave()
      throw error
    }
  }

  /// Ends an input; its musician leaves the room.
  package func removeRTPInput(_ id: String, in name: RoomName) async throws(RoomRefusal) {
    guard let membership = inputs.remove(id, in: name) else {
      throw RoomRefusal(.unknownPeer, "there is no RTP input \(id) in \(name)")
    }
    await membership.leave()
  }

  private func check(_ payloadType: UInt8, _ field: String) throws(RoomRefusal) {
    guard payloadType <= 127 else {
      throw RoomRefusal(.malformed, "\(field) is \(payloadType); 0 to 127 are RTP payload types")
    }
    // RFC 5761 §4: these look like RTCP if both share a port.
    guard !(64...95).contains(payloadType) else {
      throw RoomRefusal(.malformed, "\(field) is \(payloadType); 64 to 95 cannot be told from RTCP, use 96 to 127")
    }
  }

  private func check(_ request: RTPInputRequest) throws(RoomRefusal) {
    try check(request.payloadType, "payloadType")
    if let redundancy = request.redundancyPayloadType {
      try check(redundancy, "redundancyPayloadType")
      guard redundancy != request.payloadType else {
        throw RoomRefusal(.malformed, "redundancyPayloadType is \(redundancy), as payloadType is; they have to differ")
      }
    }
    if let id = request.captureTimeExtension, !(1...14).contains(id) {
      throw RoomRefusal(.malformed, "captureTimeExtension is \(id); 1 to 14 are ids of header extensions (RFC 8285)")
    }
    switch (request.profile, request.key?.count) {
    case (.avp, nil), (.savp, 30), (.savp, 28): return
    case (.avp, .some):
      throw RoomRefusal(.malformed, "RTP/AVP takes no key; use RTP/SAVP for SRTP")
    case (.savp, nil):
      throw RoomRefusal(
        .malformed, "RTP/SAVP needs a key of 30 bytes (AES_CM_128_HMAC_SHA1_80) or 28 (AEAD_AES_128_GCM)")
    case (.savp, .some(let count)):
      throw RoomRefusal(
        .malformed,
        "the key has \(count) bytes; key and salt are 30 (AES_CM_128_HMAC_SHA1_80) or 28 (AEAD_AES_128_GCM)")
    }
  }
}
