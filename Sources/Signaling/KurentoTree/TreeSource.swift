import Music

/// Where the audio of a tree comes from.
package enum TreeSource: Hashable, Sendable {
  /// Whoever sets the source sends it: their offer.
  case offer(String)
  /// A musician of the room of that name.
  case musician(DisplayName)
  /// The live mix of the room.
  case mix
}
