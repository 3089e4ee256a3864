import Foundation
import GRDB
import Migrations
import Music

extension SQLiteCatalog {
  /// Creates an empty index in the file `path`, to be filled in one go: fast, but unprotected against power failures
  /// until `seal`.
  /// - Throws: `CatalogError.storage`.
  package static func fresh(at path: String, now: WallTime) throws -> SQLiteCatalog {
    do {
      try remove(path)
      let catalog = try open(at: path, now: now)
      try catalog.pool.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA synchronous = OFF; PRAGMA cache_size = -200000")
      }
      return catalog
    } catch {
      throw CatalogError.meaning(of: error)
    }
  }

  /// Atomically replaces the index at `path` by this one: anyone opening the path finds either the old or the new
  /// index.
  ///
  /// Nothing may write to the old index meanwhile. This one is closed.
  /// - Throws: `CatalogError.storage`.
  package func replace(_ path: String) throws {
    let own = pool.path
    do {
      try close()
      // When readers close last, GRDB leaves data in the log; the checkpoint here moves it into the file and empties
      // the log.
      for file in [own, path] where FileManager.default.fileExists(atPath: file) {
        do {
          try DatabaseQueue(path: file).inDatabase { database in
            _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
          }
        } catch  where file == path {
          // A damaged index is replaced in any case.
        }
      }
      let descriptor = FileHandle(forUpdatingAtPath: own)
      try descriptor?.synchronize()
      try descriptor?.close()
      // A remaining log would be taken for that of the new file.
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      guard rename(own, path) == 0 else {
        throw CatalogError.storage(code: Int(errno), message: "\(own) cannot be renamed to \(path)")
      }
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: own + suffix) }
    } catch {
      throw CatalogError.meaning(of: error)
    }
  }

  private static func remove(_ path: String) throws {
    for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.removeItem(atPath: path + suffix)
    }
  }

  /// Stores many takes in one transaction.
  package func store(_ all: [TakeContents]) async throws {
    for contents in all { try contents.check() }
    try await write { database in
      for contents in all { try contents.store(in: database) }
    }
  }
}
