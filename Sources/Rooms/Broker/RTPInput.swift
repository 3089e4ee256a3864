import Music
import Synchronization

/// A request to send plain RTP into a room (encoders, GStreamer, ffmpeg, load tests).
package struct RTPInputRequest: Sendable, Hashable {
  /// RTP profile: with or without SRTP (RFC 3551, RFC 3711).
  package enum Profile: String, Sendable, Hashable, CaseIterable {
    case avp = "RTP/AVP"
    case savp = "RTP/SAVP"
  }

  package var name: DisplayName
  package var part: Part?
  package var consents: Bool
  package var profile: Profile
  /// RTP payload type of Opus, 0 to 127.
  package var payloadType: UInt8
  /// RTP payload type of RED (RFC 2198), whose packets repeat earlier ones; nil for none.
  package var redundancyPayloadType: UInt8?
  /// Id, 1 to 14, of the header extension with the absolute capture time (RFC 8285 section 4.2, one-byte form); nil for none.
  package var captureTimeExtension: UInt8?
  /// The only SSRC accepted; nil accepts the first that arrives.
  package var ssrc: UInt32?
  /// Master key and salt: 30 bytes for AES_CM_128_HMAC_SHA1_80, 28 for AEAD_AES_128_GCM.
  package var key: [UInt8]?
  /// 1 or 2.
  package var channels: Int

  package init(
    name: DisplayName, part: Part? = nil, consents: Bool = true, profile: Profile = .avp, payloadType: UInt8,
    redundancyPayloadType: UInt8? = nil, captureTimeExtension: UInt8? = nil, ssrc: UInt32? = nil, key: [UInt8]? = nil,
    channels: Int = 2
  ) {
    self.name = name
    self.part = part
    self.consents = consents
    self.profile = profile
    self.payloadType = payloadType
    self.redundancyPayloadType = redundancyPayloadType
    self.captureTimeExtension = captureTimeExtension
    self.ssrc = ssrc
    self.key = key
    self.channels = channels
  }
}

/// An open input for plain RTP: its address and the parameters of our replies.
package struct RTPInput: Sendable, Hashable {
  package var id: String
  package var host: String
  package var port: UInt16
  package var participant: ParticipantID
  /// The SSRC of our RTCP.
  package var ssrc: UInt32
  package var profile: RTPInputRequest.Profile
  package var payloadType: UInt8
}

/// The open plain RTP inputs by id.
final class RTPInputs: Sendable {
  struct Entry: Sendable {
    var room: RoomName
    var membership: Membership
  }

  private let entries = Mutex<[String: Entry]>([:])

  func add(_ entry: Entry, id: String) {
    entries.withLock { $0[id] = entry }
  }

  func remove(_ id: String, in room: RoomName) -> Membership? {
    entries.withLock { entries in
      guard let entry = entries[id], entry.room == room else { return nil }
      entries[id] = nil
      return entry.membership
    }
  }
}
