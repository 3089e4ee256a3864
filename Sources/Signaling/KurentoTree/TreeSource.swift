import Music

/// The origin of a tree's audio.
package enum TreeSource: Hashable, Sendable {
  /// The session that sets the source sends the audio: its offer.
  case offer(String)
  /// A musician of the room of that name.
  case musician(DisplayName)
  /// The live mix of the room.
  case mix
}
