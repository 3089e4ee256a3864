import Foundation
import Music

/// The index in PostgreSQL, which several nodes may share.
///
/// Writes are one after the other, those of other nodes too: each transaction begins with one advisory lock. They are a few
/// a second at most, and so are as in SQLite: no number is given twice, and nothing has to be undone for a conflict.
///
/// All methods throw `CatalogError`; reads also throw `CancellationError` in a cancelled task.
package struct PostgreSQLCatalog: CatalogEngine {
  package let origin: CatalogOrigin
  /// The address of the database, without user and password.
  package let place: String
  /// Every write is one after the other here.
  private let writer: PostgreSQLLane
  private let readers: [PostgreSQLLane]

  /// Connections for reading.
  private static let readerCount = 4
  /// How often a transaction is tried that conflicts with another, or waits for its lock for too long.
  private static let tries = 3

  private init(_ address: PostgreSQLAddress, isAlone: Bool, origin: CatalogOrigin) {
    self.origin = origin
    place = address.place
    @Sendable func connect() throws -> PostgreSQLConnection {
      let connection = try PostgreSQLConnection(address)
      try PostgreSQLSchema(place: address.place).check(connection)
      return connection
    }
    writer = PostgreSQLLane("jamjar.catalog.postgresql.writer") {
      let connection = try connect()
      if isAlone { try PostgreSQLSchema(place: address.place).occupy(connection) }
      return connection
    }
    readers = (0..<PostgreSQLCatalog.readerCount).map { PostgreSQLLane("jamjar.catalog.postgresql.\($0)", connect) }
  }

  /// Connects to the database, creating the index in it if necessary, and migrates its schema.
  /// - Parameter isAlone: true to refuse an index that another service uses, as long as this one is open: what one
  ///   service finds unfinished at its start, another may be recording.
  /// - Throws: `CatalogError.newerSchema`, `.notACatalog` (both leave the database as it was), or `.database`.
  package static func open(_ address: PostgreSQLAddress, isAlone: Bool = false) async throws -> PostgreSQLCatalog {
    let former = try await once(address) { try PostgreSQLSchema(place: address.place).migrate($0) }
    let known = PostgreSQLSchema.version
    let catalog = PostgreSQLCatalog(
      address, isAlone: isAlone, origin: former == 0 ? .created : former < known ? .upgraded(from: former) : .existing)
    if isAlone { try await catalog.checkWritable() }
    return catalog
  }

  /// Connects to an index that a running service may be using; creates and migrates nothing.
  /// - Throws: `CatalogError.newerSchema`, or `.database` (no index, an older schema).
  package static func open(beside address: PostgreSQLAddress) async throws -> PostgreSQLCatalog {
    try await once(address) { try PostgreSQLSchema(place: address.place).check($0) }
    return PostgreSQLCatalog(address, isAlone: false, origin: .existing)
  }

  /// Runs `body` on a connection of its own.
  static func once<Value: Sendable>(
    _ address: PostgreSQLAddress, _ body: @escaping @Sendable (PostgreSQLConnection) throws -> Value
  ) async throws -> Value {
    let lane = PostgreSQLLane("jamjar.catalog.postgresql.opening") { try PostgreSQLConnection(address) }
    defer { lane.close() }
    do {
      return try await lane.run { try body(try $0.open()) }
    } catch {
      throw CatalogError.meaning(of: error)
    }
  }

  package func close() throws {
    for lane in readers + [writer] { lane.close() }
  }

  // MARK: Transactions

  /// Runs `body` on a consistent snapshot of the database, concurrently with any writer.
  /// - Parameter isSnapshot: false for one statement, which needs no transaction around it.
  func read<Value: Sendable>(
    isSnapshot: Bool = true, _ body: @escaping @Sendable (PostgreSQLConnection) throws -> Value
  ) async throws -> Value {
    try Task.checkCancellation()
    guard let lane = readers.min(by: { $0.load < $1.load }) else { throw CatalogError.conflict("no connections") }
    do {
      return try await lane.run { lane in
        do { return try PostgreSQLCatalog.read(lane, isSnapshot, body) } catch let problem as PostgreSQLProblem
          where problem.isLost
        {
          // The server was restarted since the last read.
          return try PostgreSQLCatalog.read(lane, isSnapshot, body)
        }
      }
    } catch {
      throw CatalogError.meaning(of: error)
    }
  }

  private static func read<Value>(
    _ lane: PostgreSQLLane, _ isSnapshot: Bool, _ body: (PostgreSQLConnection) throws -> Value
  ) throws -> Value {
    let connection = try lane.open()
    guard isSnapshot else { return try body(connection) }
    try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    do {
      let value = try body(connection)
      try connection.run("COMMIT")
      return value
    } catch {
      PostgreSQLCatalog.undo(connection, on: lane)
      throw error
    }
  }

  /// Runs `body` in one transaction, which is on disk completely or not at all. It may run several times, and goes on if
  /// the task is cancelled: at shutdown, a take whose files are complete must not lose its row.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (PostgreSQLConnection) throws -> Value
  ) async throws -> Value {
    do {
      return try await writer.run { lane in
        for attempt in 1..<PostgreSQLCatalog.tries {
          do {
            return try PostgreSQLCatalog.write(lane, body)
          } catch let problem as PostgreSQLProblem where problem.isPassing || problem.isLost {
            // Milliseconds, on the lane's own thread.
            usleep(UInt32(attempt) * UInt32.random(in: 5_000...20_000))
          }
        }
        return try PostgreSQLCatalog.write(lane, body)
      }
    } catch {
      throw CatalogError.meaning(of: error)
    }
  }

  private static func write<Value>(
    _ lane: PostgreSQLLane, _ body: (PostgreSQLConnection) throws -> Value
  ) throws -> Value {
    let connection = try lane.open()
    let value: Value
    let transaction: String?
    do {
      try connection.run("BEGIN")
      _ = try connection.execute("SELECT pg_advisory_xact_lock(\(PostgreSQLSchema.writeLock))")
      transaction = try connection.text("SELECT pg_current_xact_id()::text")
      value = try body(connection)
    } catch {
      undo(connection, on: lane)
      throw error
    }
    do {
      try connection.run("COMMIT")
    } catch let problem as PostgreSQLProblem where problem.isLost {
      lane.drop()
      switch try? lane.open().text("SELECT pg_xact_status($1::text::xid8)", [transaction]) {
      case "committed": break
      case "aborted": throw problem
      // Not tried again, which might do it twice: "transaction_resolution_unknown".
      default: throw CatalogError.database(state: "08007", message: "the connection failed at the end of a write")
      }
    }
    return value
  }

  /// Ends a transaction that failed; a connection on which that fails too is given up.
  private static func undo(_ connection: PostgreSQLConnection, on lane: PostgreSQLLane) {
    do { try connection.run("ROLLBACK") } catch { lane.drop() }
  }

  package func checkWritable() async throws {
    // A transaction without changes, with the lock that every write takes.
    try await write { _ in }
  }
}

extension PostgreSQLCatalog {
  package func isFilled() async throws -> Bool {
    try await read(isSnapshot: false) { try $0.integer("SELECT is_filled::integer FROM catalogue") == 1 }
  }

  package func markFilled() async throws {
    try await write { _ = try $0.execute("UPDATE catalogue SET is_filled = true") }
  }
}
