import Music

/// An event of a tree for the session with its source or one of its sinks.
package enum TreeEvent: Hashable, Sendable {
  /// Our candidate for a sink, or for the source if there is no sink.
  case candidate(RoomName, sink: String?, CandidateMessage)
}
