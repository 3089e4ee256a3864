/// What members may do with shared objects; REST, which needs an API key, may do everything.
package struct SharedObjectPolicy: Hashable, Sendable {
  /// Who may make objects that are kept.
  package enum Creation: String, Hashable, Sendable, CaseIterable {
    case everybody, nobody
  }

  /// Who may remove slots and clear: some clients do so when they only mean to close their handle.
  package enum Deletion: String, Hashable, Sendable, CaseIterable {
    case everybody, nobody
    /// Whoever made the object, known by the identity of their token, or else by their display name.
    case creator
  }

  package var creation: Creation
  package var deletion: Deletion

  package init(creation: Creation = .everybody, deletion: Deletion = .everybody) {
    self.creation = creation
    self.deletion = deletion
  }
}
