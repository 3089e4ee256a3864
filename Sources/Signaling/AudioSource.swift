import Music

/// What a subscription hears.
package enum AudioSource: Hashable, Sendable {
  /// One musician, their packets passed on as they come.
  case participant(ParticipantID)
  /// The live mix of all musicians, but for one where it says so.
  case mix(without: ParticipantID?)
  /// The live mix without whoever subscribes: what a musician needs who hears themselves already.
  case mixMinus

  /// The live mix of everybody.
  package static let mix = AudioSource.mix(without: nil)
}
