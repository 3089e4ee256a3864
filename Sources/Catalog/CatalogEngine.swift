import Music

/// An index that is open: SQLite's or PostgreSQL's, with what its owner needs besides `TakeIndex`.
///
/// `CatalogContractTests` holds every engine to the same answers.
package protocol CatalogEngine: TakeIndex {
  /// The state of the index when it was opened.
  var origin: CatalogOrigin { get }
  /// False if there may be takes or edits on disk that the index does not contain: it is new, was damaged, came from
  /// an older schema, or its filling was interrupted.
  func isFilled() async throws -> Bool
  /// Records that the index now contains everything on disk.
  func markFilled() async throws
  /// Returns up to `limit` takes whose identifiers begin with `prefix` (in either case), newest first; empty if no
  /// identifier can begin with it.
  func takes(beginningWith prefix: String, limit: Int) async throws -> [Take]
  /// Stores many takes in one transaction.
  func store(_ all: [TakeContents]) async throws
  /// Closes the index; later calls throw `CatalogError`.
  func close() throws
}

extension CatalogEngine {
  package func takes(beginningWith prefix: String) async throws -> [Take] {
    try await takes(beginningWith: prefix, limit: 5)
  }
}
