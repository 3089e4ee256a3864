/// What a musician plays into who leaves and comes back while a take rolls.
package enum ReturnPolicy: String, Sendable, Hashable, CaseIterable {
  /// The track that they had: one musician, one track.
  case track
  /// A track of its own for every stay.
  case part
}
