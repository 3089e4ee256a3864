extension NegotiatedSession.ExtensionIDs {
  /// Pairs of id and extension, sorted by id.
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

  /// Parses the known extensions of a section that match the direction of the media; the first use of an id wins.
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

  /// The extensions with the same id on both sides; an answer must not change an id (RFC 8285 §6).
  func common(with other: NegotiatedSession.ExtensionIDs) -> NegotiatedSession.ExtensionIDs {
    NegotiatedSession.ExtensionIDs(
      mid: mid == other.mid ? mid : nil, audioLevel: audioLevel == other.audioLevel ? audioLevel : nil,
      absoluteCaptureTime: absoluteCaptureTime == other.absoluteCaptureTime ? absoluteCaptureTime : nil)
  }
}

/// An `a=extmap` line (RFC 8285 §6): the id of a header extension.
struct HeaderExtension: Sendable, Hashable {
  /// The supported extensions by URI.
  ///
  /// abs-send-time and transport-wide congestion control are omitted on purpose, because they make Chromium send
  /// padding packets.
  enum Known: String, Sendable, Hashable, CaseIterable {
    /// RFC 6464.
    case audioLevel = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
    /// RFC 9143 §15.
    case mid = "urn:ietf:params:rtp-hdrext:sdes:mid"
    /// The capture time on the sender's clock; Chromium sends it once per second if negotiated.
    case absoluteCaptureTime = "http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time"

    /// The id in our own offers; answers use the offer's.
    var ownID: UInt8 {
      switch self {
      case .audioLevel: 1
      case .absoluteCaptureTime: 2
      case .mid: 4
      }
    }
  }

  /// Ids of the one-byte form; 15 is reserved, and larger ones need the two-byte form, which we do not write.
  static let identifiers: ClosedRange<UInt8> = 1...14

  var id: UInt8
  /// The direction after the slash, from the point of view of its author.
  var direction: NegotiatedSession.Direction?
  var uri: String

  /// Parses "4 urn:…" or "4/sendonly urn:… attributes"; nil if it is malformed or the id is out of range.
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
