import Music

/// Which live mix: of everybody, or without one musician, who hears all others by it.
package enum LiveMixOutput: Hashable, Sendable {
  case everybody
  case without(ParticipantID)

  /// True where `source` is to be heard in it.
  func contains(_ source: ParticipantID) -> Bool {
    switch self {
    case .everybody: true
    case .without(let absent): source != absent
    }
  }
}
