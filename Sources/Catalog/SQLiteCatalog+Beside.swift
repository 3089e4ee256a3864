import Foundation
import GRDB
import Migrations

extension SQLiteCatalog {
  /// How long this program waits for the one that the index belongs to, in seconds.
  private static let patienceBeside = 5.0

  /// Opens the index that a running service may be using: never makes, migrates, repairs or renames the file.
  ///
  /// - Parameter forReadingOnly: true where nothing will be stored.
  /// - Throws: `CatalogError.newerSchema`, `.damaged`, or `.storage` (no file, no permission, an older schema).
  package static func open(beside path: String, forReadingOnly: Bool) throws -> SQLiteCatalog {
    guard FileManager.default.fileExists(atPath: path) else {
      throw CatalogError.storage(
        code: Int(ResultCode.SQLITE_CANTOPEN.rawValue), message: "there is no file \(path); the service makes it")
    }
    var configuration = Configuration()
    configuration.label = "jamjar.catalog.beside"
    configuration.readonly = forReadingOnly
    configuration.foreignKeysEnabled = true
    configuration.busyMode = .timeout(patienceBeside)
    if !forReadingOnly {
      // As the service does: a take that was stored outlives a power cut.
      configuration.prepareDatabase { database in
        guard !database.configuration.readonly else { return }
        try database.execute(sql: "PRAGMA synchronous = FULL")
      }
    }
    do {
      let pool = try DatabasePool(path: path, configuration: configuration)
      let version = try pool.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } ?? 0
      let known = Migration.all.count
      guard version <= known else { throw CatalogError.newerSchema(path: path, found: version, known: known) }
      guard version == known else {
        throw CatalogError.storage(
          code: Int(ResultCode.SQLITE_SCHEMA.rawValue),
          message: "\(path) has schema \(version), this program needs \(known); starting the service brings it there")
      }
      return SQLiteCatalog(origin: .existing, pool: pool)
    } catch {
      throw CatalogError.meaning(of: error)
    }
  }
}
