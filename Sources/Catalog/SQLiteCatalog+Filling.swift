import GRDB
import Music

extension SQLiteCatalog {
  /// False where takes or edits may be on disk that the index does not know: it is new, was damaged, came from an older
  /// schema, or its filling was interrupted.
  package func isFilled() async throws -> Bool {
    try await read { try Bool.fetchOne($0, sql: "SELECT NOT EXISTS (SELECT 1 FROM unfilled)") ?? false }
  }

  /// Says that the index now has all that is on the disk.
  package func markFilled() async throws {
    try await write { try $0.execute(sql: "DELETE FROM unfilled") }
  }
}
