import CPQ
import Foundation
import Music

/// A connection to the database. Every call blocks its thread.
///
/// Unchecked: `PostgreSQLLane` has it to itself, and calls it on its own serial queue only.
final class PostgreSQLConnection: @unchecked Sendable {
  private let raw: OpaquePointer
  private var prepared: [String: String] = [:]

  /// Statements that are kept; others are planned each time anyway.
  private static let mostPrepared = 200
  /// Set before the address is read, which may say otherwise. Seconds, and for `tcp_user_timeout` milliseconds.
  private static let defaults = [
    ("application_name", "jamjar"), ("connect_timeout", "5"), ("client_encoding", "UTF8"), ("keepalives_idle", "10"),
    ("keepalives_interval", "5"), ("keepalives_count", "3"), ("tcp_user_timeout", "15000"),
  ]
  /// `statement_timeout`: a search that takes longer is given up. `lock_timeout` is how long a write waits for another
  /// node's. A transaction of a node that was stopped half-way ends, so that its locks do not outlive it by much. Plans
  /// are made for the values at hand: a rare word and a frequent one need different ones.
  private static let settings = """
    SET statement_timeout = '10s'; SET lock_timeout = '2s';
    SET idle_in_transaction_session_timeout = '10s'; SET plan_cache_mode = force_custom_plan;
    SET synchronous_commit = on; SET standard_conforming_strings = on
    """

  /// - Throws: `PostgreSQLProblem`.
  init(_ address: PostgreSQLAddress) throws {
    let pairs = PostgreSQLConnection.defaults + [("dbname", address.text)]
    let keywords = pairs.map { strdup($0.0) } + [nil]
    let values = pairs.map { strdup($0.1) } + [nil]
    defer { for text in keywords + values { free(text) } }
    let connection = PQconnectdbParams(keywords.map { UnsafePointer($0) }, values.map { UnsafePointer($0) }, 1)
    guard let connection else { throw PostgreSQLProblem("no memory for a connection") }
    raw = connection
    cpq_silence(connection)
    guard PQstatus(connection) == CONNECTION_OK else {
      let problem = PostgreSQLProblem(PQerrorMessage(connection).map { String(cString: $0) } ?? "no connection")
      throw problem
    }
    try run("SET search_path TO \(address.schema); \(PostgreSQLConnection.settings)")
    let encoding = try text("SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()")
    guard encoding == "UTF8" else {
      throw PostgreSQLProblem(
        state: "22021",
        "the database has the encoding \(encoding ?? "?"); CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0 makes a "
          + "suitable one")
    }
  }

  deinit { PQfinish(raw) }

  /// False after the connection failed.
  var isOpen: Bool { PQstatus(raw) == CONNECTION_OK }

  /// Runs statements without values.
  /// - Throws: `PostgreSQLProblem`.
  func run(_ sql: String) throws {
    let result = PQexec(raw, sql)
    defer { PQclear(result) }
    try check(result)
  }

  /// Runs a statement and returns how many rows it changed.
  /// - Throws: `PostgreSQLProblem`.
  @discardableResult
  func execute(_ sql: String, _ values: [(any PostgreSQLValue)?] = [], isRecurring: Bool = true) throws -> Int {
    let result = try send(sql, values, isRecurring)
    defer { PQclear(result) }
    return PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
  }

  /// Returns what `body` makes of each row of a query.
  /// - Parameter isRecurring: false for SQL of endless forms, which must not be kept.
  /// - Throws: `PostgreSQLProblem`, errors of `body`.
  func all<Value>(
    _ sql: String, _ values: [(any PostgreSQLValue)?] = [], isRecurring: Bool = true,
    _ body: (PostgreSQLRow) throws -> Value
  ) throws -> [Value] {
    let result = try send(sql, values, isRecurring)
    defer { PQclear(result) }
    let count = PQntuples(result)
    return try (0..<max(0, count)).map { try body(PostgreSQLRow(result: result, row: $0)) }
  }

  /// The first column of the first row; nil if there is none, or NULL.
  func integer(_ sql: String, _ values: [(any PostgreSQLValue)?] = []) throws -> Int64? {
    try all(sql, values) { $0.integer(0) }.first ?? nil
  }

  /// The same of a text.
  func text(_ sql: String, _ values: [(any PostgreSQLValue)?] = []) throws -> String? {
    try all(sql, values) { $0.text(0) }.first ?? nil
  }

  /// The first column of all rows.
  func integers(_ sql: String, _ values: [(any PostgreSQLValue)?] = []) throws -> [Int64] {
    try all(sql, values) { try $0[0] }
  }

  private func send(_ sql: String, _ values: [(any PostgreSQLValue)?], _ isRecurring: Bool) throws -> OpaquePointer? {
    let texts = values.map { $0?.bound }
    for text in texts {
      if let text, text.utf8.contains(0) {
        throw PostgreSQLProblem(state: "22021", "a text has a character U+0000, which PostgreSQL cannot store")
      }
    }
    let copies = texts.map { $0.flatMap { strdup($0) } }
    defer { for copy in copies { free(copy) } }
    let pointers = copies.map { UnsafePointer($0) }
    let result: OpaquePointer?
    if let name = try isRecurring ? prepare(sql) : nil {
      result = PQexecPrepared(raw, name, Int32(pointers.count), pointers, nil, nil, 0)
    } else {
      result = PQexecParams(raw, sql, Int32(pointers.count), nil, pointers, nil, nil, 0)
    }
    do { try check(result) } catch {
      PQclear(result)
      throw error
    }
    return result
  }

  /// The name of the prepared statement; nil if there are too many.
  private func prepare(_ sql: String) throws -> String? {
    if let name = prepared[sql] { return name }
    guard prepared.count < PostgreSQLConnection.mostPrepared else { return nil }
    let name = "s\(prepared.count)"
    let result = PQprepare(raw, name, sql, 0, nil)
    defer { PQclear(result) }
    try check(result)
    prepared[sql] = name
    return name
  }

  private func check(_ result: OpaquePointer?) throws {
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return
    default: throw PostgreSQLProblem(result: result, of: raw)
    }
  }
}

/// A row of a result, in the text form of its values.
struct PostgreSQLRow: ListRow {
  fileprivate let result: OpaquePointer?
  fileprivate let row: Int32

  func isNull(_ column: Int32) -> Bool { PQgetisnull(result, row, column) != 0 }

  func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8>? {
    guard !isNull(column), let start = PQgetvalue(result, row, column) else { return nil }
    let count = Int(max(0, PQgetlength(result, row, column)))
    return UnsafeBufferPointer(start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: count)
  }

  func integer(_ column: Int32) -> Int64? { text(column).flatMap { Int64($0) } }

  func number(_ column: Int32) -> Double? { text(column).flatMap { Double($0) } }

  /// Of a `uuid`: 32 digits and dashes between.
  func ulid(_ column: Int32) -> ULID? {
    guard let bytes = bytes(column) else { return nil }
    var (high, low, count): (UInt64, UInt64, Int) = (0, 0, 0)
    for byte in bytes where byte != UInt8(ascii: "-") {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
      high = high << 4 | low >> 60
      low = low << 4 | UInt64(digit)
      count += 1
    }
    return count == 32 ? ULID(high: high, low: low) : nil
  }

  func name(_ column: Int32) -> String? { PQfname(result, column).map { String(cString: $0) } }

  /// - Throws: `NameError` for a name not written by this program; callers receive `CatalogError.unreadable`.
  func displayName(_ column: Int32) throws -> DisplayName {
    try DisplayName(checking: text(column) ?? fail(column))
  }

  /// Throws as above.
  func roomName(_ column: Int32) throws -> RoomName { try RoomName(checking: text(column) ?? fail(column)) }
}
