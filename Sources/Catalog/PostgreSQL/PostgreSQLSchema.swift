import Migrations
import Music

/// Makes and checks the tables: all of Jamjar's are in one schema of the database, where the connection looks for them.
struct PostgreSQLSchema {
  /// The address of the database, for messages.
  let place: String

  static let version = Migration.postgreSQL.count
  /// "JAMJ", and what the lock is for.
  static let writeLock: Int64 = 0x4A41_4D4A_0000_0001
  private static let migrationLock: Int64 = 0x4A41_4D4A_0000_0002
  private static let serviceLock: Int64 = 0x4A41_4D4A_0000_0003
  /// "object_in_use".
  private static let inUse = "55006"
  /// "undefined_table".
  private static let noTable = "42P01"

  /// Brings the database to the schema of this program; returns the version that it had, 0 for none.
  ///
  /// Nodes that start together wait for each other. All or nothing of it happens.
  /// - Throws: `CatalogError.newerSchema`, `.notACatalog`; `PostgreSQLProblem`.
  func migrate(_ connection: PostgreSQLConnection) throws -> Int {
    try connection.run("BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '60s'")
    do {
      _ = try connection.execute("SELECT pg_advisory_xact_lock(\(PostgreSQLSchema.migrationLock))")
      let found = try former(connection)
      guard found <= PostgreSQLSchema.version else {
        throw CatalogError.newerSchema(path: place, found: found, known: PostgreSQLSchema.version)
      }
      if found < PostgreSQLSchema.version {
        for migration in Migration.postgreSQL[found...] { try connection.run(migration.sql) }
        _ = try connection.execute(
          "UPDATE catalogue SET version = $1, is_filled = false", [PostgreSQLSchema.version])
      }
      try connection.run("COMMIT")
      return found
    } catch {
      try? connection.run("ROLLBACK")
      throw error
    }
  }

  /// The version of the tables that are there, 0 and an empty `catalogue` if there are none.
  private func former(_ connection: PostgreSQLConnection) throws -> Int {
    let schema = try connection.text("SELECT setting FROM pg_settings WHERE name = 'search_path'") ?? ""
    let tables = try connection.all("SELECT tablename FROM pg_tables WHERE schemaname = $1", [schema]) {
      $0.text(0) ?? ""
    }
    if tables.contains("catalogue") {
      return Int(try connection.integer("SELECT version FROM catalogue") ?? 0)
    }
    guard tables.isEmpty else { throw CatalogError.notACatalog(path: place) }
    // Without the right to make one, an administrator has made it.
    if try connection.integer("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]) == nil {
      try connection.run("CREATE SCHEMA \(schema)")
    }
    try connection.run(
      """
      CREATE TABLE catalogue (version integer NOT NULL, is_filled boolean NOT NULL);
      INSERT INTO catalogue VALUES (0, false)
      """)
    return 0
  }

  /// Takes the index for one service, as long as the connection lasts.
  /// - Throws: `CatalogError.database` if another one has it; `PostgreSQLProblem`.
  func occupy(_ connection: PostgreSQLConnection) throws {
    let got = try connection.integer("SELECT pg_try_advisory_lock(\(PostgreSQLSchema.serviceLock))::integer")
    guard got == 1 else {
      throw CatalogError.database(
        state: PostgreSQLSchema.inUse,
        message: "another service uses the index in \(place); give each service a database of its own")
    }
  }

  /// Checks that the tables are those that this program knows: also on every later connection, since a newer Jamjar may
  /// have changed them in between.
  /// - Throws: `CatalogError.newerSchema`, `.database`; `PostgreSQLProblem`.
  func check(_ connection: PostgreSQLConnection) throws {
    let found: Int
    do {
      found = Int(try connection.integer("SELECT version FROM catalogue") ?? 0)
    } catch let problem as PostgreSQLProblem where problem.state == PostgreSQLSchema.noTable {
      throw CatalogError.database(
        state: problem.state, message: "\(place) has no index of Jamjar; starting the service makes it")
    }
    let known = PostgreSQLSchema.version
    guard found <= known else { throw CatalogError.newerSchema(path: place, found: found, known: known) }
    guard found == known else {
      throw CatalogError.database(
        state: PostgreSQLSchema.noTable,
        message: "\(place) has schema \(found), this program needs \(known); starting the service brings it there")
    }
  }
}
