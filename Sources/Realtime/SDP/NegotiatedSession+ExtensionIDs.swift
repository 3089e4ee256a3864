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
