/// Which version of tracks is asked for.
enum TrackSource: String, Hashable, Sendable, CaseIterable {
  /// What came over the network.
  case take
  /// What musicians' own machines kept, where they did.
  case lossless
}
