import Foundation
import GRDB
import Glibc
import Migrations
import Music

extension SQLiteCatalog {
  /// "JAMJ", as in `0001_catalog.sql`.
  private static let applicationID: Int64 = 0x4A41_4D4A
  /// How long a write waits for another process, for example the command line beside the service, in seconds.
  /// Recordings wait longer, but elsewhere (`IndexBacklog` in Rooms).
  private static let patience = 2.0
  /// Readable by the group (for backups) but not by others, as the files of takes.
  private static let fileMode: mode_t = 0o640

  /// Opens the index in the file at `path`, creating it if necessary, and migrates its schema.
  ///
  /// A damaged file is renamed to `<path>.damaged-<now>` and replaced by an empty index: see `origin`. The folder
  /// must exist.
  /// - Throws: `CatalogError.newerSchema`, `.notACatalog` (both leave the file as it was), or `.storage`.
  package static func open(at path: String, now: WallTime) throws -> SQLiteCatalog {
    do {
      let (pool, former) = try soundPool(at: path)
      let known = Migration.all.count
      return SQLiteCatalog(
        origin: former == 0 ? .created : former < known ? .upgraded(from: former) : .existing, pool: pool)
    } catch let damage as DamageFound {
      let aside = try setAside(path, now: now)
      let (pool, _) = try soundPool(at: path)
      return SQLiteCatalog(origin: .replaced(.init(path: aside, findings: damage.findings)), pool: pool)
    }
  }

  /// The faults that SQLite found in a file.
  private struct DamageFound: Error {
    var findings: [String]
  }

  /// The database, and the version of its schema before migration; 0 for a new one.
  private static func soundPool(at path: String) throws -> (pool: DatabasePool, former: Int) {
    createFile(at: path)
    do {
      let pool = try DatabasePool(path: path, configuration: configuration(for: path))
      do {
        try check(pool)
        // Read by the writer: a reader still open when the pool closes would prevent the checkpoint of the log.
        let former = try pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA user_version") } ?? 0
        try migrator().migrate(pool)
        // GRDB chooses NORMAL for a write-ahead log, which may lose the last takes in a power failure.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        return (pool, former)
      } catch {
        // Closed so that no connection keeps a file that is set aside.
        try? pool.close()
        throw error
      }
    } catch {
      let meaning = CatalogError.meaning(of: error)
      if case CatalogError.damaged(let message) = meaning { throw DamageFound(findings: [message]) }
      throw meaning
    }
  }

  /// Creates an empty file, which SQLite takes for a new database, if there is none. SQLite itself would let everybody
  /// read it; its log and index of the log get the rights of the file.
  private static func createFile(at path: String) {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, fileMode)
    // Otherwise SQLite meets the same obstacle, and reports it.
    if descriptor >= 0 { _ = Glibc.close(descriptor) }
  }

  private static func configuration(for path: String) -> Configuration {
    var configuration = Configuration()
    configuration.label = "jamjar.catalog"
    configuration.foreignKeysEnabled = true
    configuration.busyMode = .timeout(patience)
    configuration.prepareDatabase { database in
      for function in SearchFunctions.all { database.add(function: function) }
      // Only the writer, which comes first: the check must precede any change, even of the journal mode.
      guard !database.configuration.readonly else { return }
      try refuseForeign(database, path: path)
    }
    return configuration
  }

  /// Refuses databases of newer versions and of other programs.
  private static func refuseForeign(_ database: Database, path: String) throws {
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    let application = try Int64.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    if application == applicationID {
      guard version <= Migration.all.count else {
        throw CatalogError.newerSchema(path: path, found: version, known: Migration.all.count)
      }
    } else {
      // GRDB's own table may be the only one if a process was killed before the first migration completed.
      let tables = try Set(String.fetchAll(database, sql: "SELECT tbl_name FROM sqlite_master"))
      guard tables.isSubset(of: ["grdb_migrations"]) else { throw CatalogError.notACatalog(path: path) }
    }
  }

  private static func check(_ pool: DatabasePool) throws {
    let findings = try pool.writeWithoutTransaction { try String.fetchAll($0, sql: "PRAGMA quick_check(10)") }
    guard findings == ["ok"] else { throw DamageFound(findings: findings) }
  }

  private static func migrator() -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for (index, migration) in Migration.all.enumerated() {
      migrator.registerMigration(migration.name) { database in
        try database.execute(sql: migration.sql)
        // Before the next migration, which may depend on it.
        if index + 1 == LibraryUpgrade.version { try LibraryUpgrade.fill(database) }
        // Stored in the file's header, where an older program can read it without understanding the schema.
        try database.execute(sql: "PRAGMA user_version = \(index + 1)")
      }
    }
    return migrator
  }

  /// Renames a database and its log; returns the new path.
  private static func setAside(_ path: String, now: WallTime) throws -> String {
    let files = FileManager.default
    // Colons are not permitted in file names on every system that may hold a backup.
    let stamp = now.description.replacing(":", with: "-")
    var target = "\(path).damaged-\(stamp)"
    var attempt = 1
    while files.fileExists(atPath: target) {
      attempt += 1
      target = "\(path).damaged-\(stamp)-\(attempt)"
    }
    do {
      for suffix in ["", "-wal", "-shm"] where files.fileExists(atPath: path + suffix) {
        try files.moveItem(atPath: path + suffix, toPath: target + suffix)
      }
    } catch {
      throw CatalogError.storage(
        code: Int(ResultCode.SQLITE_CANTOPEN.rawValue),
        message: "the damaged index \(path) cannot be renamed to \(target): \(error)")
    }
    return target
  }
}

extension SQLiteCatalog {
  /// How long this program waits for the one that owns the index, in seconds.
  private static let patienceBeside = 5.0

  /// Opens an index that a running service may be using; never creates, migrates, repairs or renames the file.
  ///
  /// - Parameter forReadingOnly: true if nothing will be stored.
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
    configuration.prepareDatabase { database in
      for function in SearchFunctions.all { database.add(function: function) }
      guard !database.configuration.readonly else { return }
      // As in the service: a stored take survives a power failure.
      try database.execute(sql: "PRAGMA synchronous = FULL")
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

/// The parts of `0002_library.sql` that cannot be written in SQL: folded names, places, and search words.
enum LibraryUpgrade {
  static let version = 2

  static func fill(_ database: Database) throws {
    let people = try Row.fetchAll(database, sql: "SELECT key, name FROM participants")
    for row in people {
      let key = try row.decode(Int64.self, atIndex: 0)
      try database.execute(
        sql: "UPDATE participants SET folded_name = ? WHERE key = ?",
        arguments: [SongRecord.folded(try row.decode(atIndex: 1)), key])
      try PersonRecord.refreshWords(of: key, in: database)
    }
    for row in try Row.fetchAll(database, sql: "SELECT key, title FROM songs") {
      try SearchRecord.store(
        SearchWords.of([try row.decode(atIndex: 1)]), at: row.decode(atIndex: 0), in: .songs, of: database)
    }
    var last: (base: Int64, place: Int64) = (-1, -1)
    for row in try Row.fetchAll(database, sql: "SELECT key, started_at FROM takes ORDER BY started_at, id") {
      let base = TakePlace.first(of: try row.decode(atIndex: 1))
      let place = base == last.base ? last.place + 1 : max(base, last.place + 1)
      last = (base, place)
      let key = try row.decode(Int64.self, atIndex: 0)
      try database.execute(sql: "UPDATE takes SET place = ? WHERE key = ?", arguments: [place, key])
      try SearchRecord.refresh(take: key, in: database)
    }
  }
}
