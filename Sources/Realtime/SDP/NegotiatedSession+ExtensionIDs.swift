extension NegotiatedSession.ExtensionIDs {
  /// Id and extension pairs, in the order of the ids.
  var entries: [(id: UInt8, known: HeaderExtension.Known)] {
    let all: [(UInt8?, HeaderExtension.Known)] = [
      (audioLevel, .audioLevel), (mid, .mid), (absoluteCaptureTime, .absoluteCaptureTime),
    ]
    return all.compactMap { id, known in id.map { (id: $0, known: known) } }.sorted { $0.id < $1.id }
  }

  subscript(known: HeaderExtension.Known) -> UInt8? {
    get {
      switch known {
      case .audioLevel: audioLevel
      case .mid: mid
      case .absoluteCaptureTime: absoluteCaptureTime
      }
    }
    set {
      switch known {
      case .audioLevel: audioLevel = newValue
      case .mid: mid = newValue
      case .absoluteCaptureTime: absoluteCaptureTime = newValue
      }
    }
  }

  /// The known extensions of a section that may flow in the direction of the media; the first use of an id counts.
  init(reading attributes: [SDPAttribute], peerSends: Bool) {
    self.init()
    var taken: Set<UInt8> = []
    for value in attributes.all("extmap") {
      guard let entry = HeaderExtension(parsing: value), taken.insert(entry.id).inserted,
        let known = HeaderExtension.Known(rawValue: entry.uri), self[known] == nil
      else { continue }
      guard entry.direction?.allows(peerSends: peerSends) ?? true else { continue }
      self[known] = entry.id
    }
  }

  /// What both sides named by the same id; an answer must not move an extension (RFC 8285 §6).
  func common(with other: NegotiatedSession.ExtensionIDs) -> NegotiatedSession.ExtensionIDs {
    NegotiatedSession.ExtensionIDs(
      mid: mid == other.mid ? mid : nil, audioLevel: audioLevel == other.audioLevel ? audioLevel : nil,
      absoluteCaptureTime: absoluteCaptureTime == other.absoluteCaptureTime ? absoluteCaptureTime : nil)
  }
}

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
