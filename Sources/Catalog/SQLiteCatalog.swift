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
