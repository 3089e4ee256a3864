import Music

/// What a client of Kurento Tree asks for; a tree is the room of that name.
package enum TreeCommand: Hashable, Sendable {
  /// Makes a tree, under a new name where none is given; one that is there already is no error.
  case create(RoomName?)
  case release(RoomName)
  /// Sets or replaces the source.
  case setSource(RoomName, TreeSource)
  case removeSource(RoomName)
  case addSink(RoomName, offer: String)
  case removeSink(RoomName, String)
  /// A candidate of theirs for a sink, or without one for the source.
  case candidate(RoomName, sink: String?, CandidateMessage)
}
