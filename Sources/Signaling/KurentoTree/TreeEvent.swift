import Music

/// What a tree tells the session that set its source or added a sink.
package enum TreeEvent: Hashable, Sendable {
  /// A candidate of ours for a sink, or without one for the source.
  case candidate(RoomName, sink: String?, CandidateMessage)
}
