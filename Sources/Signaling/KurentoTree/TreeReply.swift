import Music

/// A tree's reply to a command.
package enum TreeReply: Hashable, Sendable {
  case created(RoomName)
  case done
  /// The answer to the offer of a source.
  case answer(String)
  /// A new sink and the answer to its offer.
  case sink(String, answer: String)
}
