/// What was found when the index was opened, so that the caller knows whether to rebuild it from the manifests.
package enum CatalogOrigin: Hashable, Sendable {
  /// There was no file; if there are takes on disk, they are not indexed yet.
  case created
  /// There was a sound one.
  case existing
  /// There was a sound one of an older schema, now brought up to date: what that schema had no place for (loudness, file
  /// hashes, edits) is to be filled in from the disk.
  case upgraded(from: Int)
  /// The file was damaged: it was set aside and an empty index begun, to be filled from the manifests.
  case replaced(Damage)

  /// A damaged database that was set aside.
  package struct Damage: Hashable, Sendable {
    /// Where it is now, for whoever wants to look into it; its write-ahead log lies beside it.
    package var path: String
    /// What SQLite found, a sentence each, ten at most.
    package var findings: [String]
  }

  /// True where takes may be on disk that the index does not know.
  package var needsRebuild: Bool { self != .existing }
}
