import GRDB
import Music

/// The index in SQLite: one writer at a time, readers beside it that each see one moment (write-ahead log).
///
/// All methods throw `CatalogError`; reads also throw `CancellationError` in a cancelled task.
package struct SQLiteCatalog: TakeIndex {
  /// What was found when it was opened.
  package let origin: CatalogOrigin
  let pool: DatabasePool

  /// Ends all use of the file; later calls throw `CatalogError.storage`.
  package func close() throws {
    do { try pool.close() } catch { throw CatalogError.meaning(of: error) }
  }

  /// Runs `body` on one consistent view of the database, beside any writer.
  func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    do { return try await pool.read(body) } catch { throw CatalogError.meaning(of: error) }
  }

  /// Throws where no write would be taken, such as while another process has the file's lock.
  package func checkWritable() async throws {
    // Begins, and has nothing to write at its end.
    try await write { _ in }
  }

  /// Runs `body` in one transaction, after which everything or nothing of it is on disk.
  ///
  /// Deliberately not by GRDB's own async `write`, which gives up when the task is cancelled: at shutdown that would
  /// lose the index row of a take whose files are complete.
  func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      pool.asyncWrite(body) { _, result in
        continuation.resume(with: result.mapError(CatalogError.meaning(of:)))
      }
    }
  }
}
