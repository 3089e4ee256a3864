/// An `a=extmap` line (RFC 8285 §6): the id under which a header extension travels.
struct HeaderExtension: Sendable, Hashable {
  /// The extensions that we take, by their URIs.
  ///
  /// Not among them, on purpose: abs-send-time and transport-wide congestion control, which make Chromium send
  /// padding packets.
  enum Known: String, Sendable, Hashable, CaseIterable {
    /// RFC 6464.
    case audioLevel = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
    /// RFC 9143 §15.
    case mid = "urn:ietf:params:rtp-hdrext:sdes:mid"
    /// The time of capture on the sender's clock; Chromium sends it once a second where it is negotiated.
    case absoluteCaptureTime = "http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time"

    /// The id in our own offers; answers keep the offer's.
    var ownID: UInt8 {
      switch self {
      case .audioLevel: 1
      case .absoluteCaptureTime: 2
      case .mid: 4
      }
    }
  }

  /// Ids of the one-byte form; 15 is reserved, larger ones need the two-byte form, which we do not write.
  static let identifiers: ClosedRange<UInt8> = 1...14

  var id: UInt8
  /// The direction after the slash, seen from who wrote it.
  var direction: NegotiatedSession.Direction?
  var uri: String

  /// Reads "4 urn:…" or "4/sendonly urn:… attributes"; nil where it is malformed or the id is out of range.
  init?(parsing value: some StringProtocol) {
    let words = value.split(separator: " ", maxSplits: 2)
    guard words.count >= 2 else { return nil }
    let parts = words[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let id = UInt8(digits: first), Self.identifiers.contains(id) else { return nil }
    if parts.count == 2 {
      guard let direction = NegotiatedSession.Direction(rawValue: String(parts[1])) else { return nil }
      self.direction = direction
    }
    self.id = id
    self.uri = String(words[1])
  }
}
