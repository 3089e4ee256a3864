import Music

/// A command of a client of Kurento Tree; a tree is the room of the same name.
package enum TreeCommand: Hashable, Sendable {
  /// Creates a tree, with a generated name if none is given; an existing tree is not an error.
  case create(RoomName?)
  case release(RoomName)
  /// Sets or replaces the source.
  case setSource(RoomName, TreeSource)
  case removeSource(RoomName)
  case addSink(RoomName, offer: String)
  case removeSink(RoomName, String)
  /// The client's candidate for a sink, or for the source if there is no sink.
  case candidate(RoomName, sink: String?, CandidateMessage)
}
