import Music

/// The source of a subscription.
package enum AudioSource: Hashable, Sendable {
  /// One musician, with packets forwarded as they arrive.
  case participant(ParticipantID)
  /// The live mix of all musicians, optionally without one.
  case mix(without: ParticipantID?)
  /// The live mix without the subscriber, for musicians who hear themselves already.
  case mixMinus

  /// The live mix of everybody.
  package static let mix = AudioSource.mix(without: nil)
}
