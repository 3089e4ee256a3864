import Foundation
import GRDB
import Migrations
import Music

extension SQLiteCatalog {
  /// Makes an empty index in the file `path`, which is filled in one go: quick, and without care for power cuts until
  /// `seal`.
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

  /// Puts this index in the place of the one at `path`, in one step: whoever opens that finds the one or the other.
  ///
  /// Nobody may be writing the other one. This one is closed.
  /// - Throws: `CatalogError.storage`.
  package func replace(_ path: String) throws {
    let own = pool.path
    do {
      try pool.close()
      // What GRDB leaves in the log, as its readers close last, goes into the file here; then the log is empty.
      for file in [own, path] where FileManager.default.fileExists(atPath: file) {
        do {
          try DatabaseQueue(path: file).inDatabase { database in
            _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
          }
        } catch  where file == path {
          // A damaged one: it goes anyway.
        }
      }
      let descriptor = FileHandle(forUpdatingAtPath: own)
      try descriptor?.synchronize()
      try descriptor?.close()
      // A log that stayed would be taken for the new file's.
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
