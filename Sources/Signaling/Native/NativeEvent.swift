/// The names of events on the wire.
enum NativeEvent: String, Hashable, Sendable, CaseIterable {
  case joined, left, changed, published, unpublished, candidate, peer
  case takeStarted, takeStopped, takeFinished, journaled, cue, message, warning, closed, object, push
}
