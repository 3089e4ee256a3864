import GRDB
import Music

/// The index in SQLite: one writer at a time, with concurrent readers on consistent snapshots (write-ahead log).
///
/// All methods throw `CatalogError`; reads also throw `CancellationError` in a cancelled task.
package struct SQLiteCatalog: CatalogEngine {
  /// The state of the file when it was opened.
  package let origin: CatalogOrigin
  let pool: DatabasePool
  private let quick: QuickReader

  init(origin: CatalogOrigin, pool: DatabasePool) {
    self.origin = origin
    self.pool = pool
    quick = QuickReader(path: pool.path)
  }

  /// Closes the file; later calls throw `CatalogError.storage`.
  package func close() throws {
    do {
      try quick.close()
      try pool.close()
    } catch {
      throw CatalogError.meaning(of: error)
    }
  }

  package var edition: UInt64? { quick.edition }

  /// Runs `body` on the caller's thread; nil if that is not possible at once.
  /// - Parameter isSnapshot: false if `body` has one statement, which is a snapshot by itself.
  func readAtOnce<Value: Sendable>(
    isSnapshot: Bool = true, _ body: (Database) throws -> Value
  ) throws -> Value? {
    do {
      return try quick.read(isSnapshot: isSnapshot, body)
    } catch {
      throw CatalogError.meaning(of: error)
    }
  }

  /// Runs `body` on a consistent snapshot of the database, concurrently with any writer.
  func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    do { return try await pool.read(body) } catch { throw CatalogError.meaning(of: error) }
  }

  /// Throws if a write would fail, for example while another process holds the lock.
  package func checkWritable() async throws {
    // An empty transaction.
    try await write { _ in }
  }

  /// Runs `body` in one transaction, which is on disk completely or not at all.
  ///
  /// GRDB's own async `write` is avoided deliberately, because it gives up if the task is cancelled. At shutdown,
  /// that would lose the index row of a take whose files are complete.
  func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      pool.asyncWrite(body) { _, result in
        continuation.resume(with: result.mapError(CatalogError.meaning(of:)))
      }
    }
  }
}

/// The state of the index when it was opened, which tells the caller whether to rebuild it from the manifests.
package enum CatalogOrigin: Hashable, Sendable {
  /// The file was created; takes already on disk are not indexed yet.
  case created
  /// The file was intact.
  case existing
  /// The file was intact, and its older schema was migrated. Data missing from that schema (loudness, file hashes,
  /// edits) must be filled in from the disk.
  case upgraded(from: Int)
  /// The file was damaged; it was set aside and an empty index created, to be filled from the manifests.
  case replaced(Damage)

  /// A damaged database that was set aside.
  package struct Damage: Hashable, Sendable {
    /// Its new path, for investigation; its write-ahead log is beside it.
    package var path: String
    /// The findings of SQLite, one sentence each, at most ten.
    package var findings: [String]
  }

  /// True if there may be takes on disk that the index does not contain.
  package var needsRebuild: Bool { self != .existing }
}

extension SQLiteCatalog {
  /// False if there may be takes or edits on disk that the index does not contain: it is new, was damaged, came from
  /// an older schema, or its filling was interrupted.
  package func isFilled() async throws -> Bool {
    try await read { try Bool.fetchOne($0, sql: "SELECT NOT EXISTS (SELECT 1 FROM unfilled)") ?? false }
  }

  /// Records that the index now contains everything on disk.
  package func markFilled() async throws {
    try await write { try $0.execute(sql: "DELETE FROM unfilled") }
  }
}
