/// A file of a take as its manifest has it.
package struct TakeFile: Hashable, Sendable {
  /// The name inside the take's folder.
  package var name: String
  /// "track", "mix", "peaks" or "journal".
  package var role: String
  /// The track that it belongs to.
  package var track: TrackID?
  /// Length in bytes.
  package var size: Int64
  /// How `digest` was computed, nil where there is none.
  package var digestMethod: String?
  /// In hexadecimal digits.
  package var digest: String?

  package init(
    name: String, role: String, track: TrackID? = nil, size: Int64, digestMethod: String? = nil, digest: String? = nil
  ) {
    self.name = name
    self.role = role
    self.track = track
    self.size = size
    self.digestMethod = digestMethod
    self.digest = digest
  }
}
