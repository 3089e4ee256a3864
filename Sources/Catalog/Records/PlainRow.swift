import GRDB
import GRDBSQLite
import Music

/// The present row of a statement, read from SQLite without GRDB's decoding by type, which costs three times as much as
/// finding the rows of a page.
///
/// The tables are STRICT, so a value of another type than its column's is damage; SQLite converts it.
struct PlainRow: ListRow {
  private let statement: SQLiteStatement

  /// Returns what `body` makes of each row of a query.
  /// - Parameter isRecurring: false for SQL of endless forms, which must not be kept.
  /// - Throws: `CatalogError.unreadable` for values that cannot be, `DatabaseError`, `CancellationError`.
  static func all<Value>(
    _ database: Database, sql: String, arguments: StatementArguments, isRecurring: Bool = true,
    _ body: (PlainRow) throws -> Value
  ) throws -> [Value] {
    let statement = try isRecurring ? database.cachedStatement(sql: sql) : database.makeStatement(sql: sql)
    try statement.setArguments(arguments)
    // Not left open: that would hold the snapshot.
    defer { sqlite3_reset(statement.sqliteStatement) }
    var values: [Value] = []
    while true {
      switch sqlite3_step(statement.sqliteStatement) {
      case SQLITE_ROW: values.append(try body(PlainRow(statement: statement.sqliteStatement)))
      case SQLITE_DONE: return values
      // The task was cancelled, or took too long (`QuickReader`).
      case SQLITE_INTERRUPT: throw CancellationError()
      case let code:
        throw DatabaseError(
          resultCode: ResultCode(rawValue: code),
          message: sqlite3_errmsg(database.sqliteConnection).map { String(cString: $0) })
      }
    }
  }

  /// Nil for NULL.
  func integer(_ column: Int32) -> Int64? {
    let value = sqlite3_column_int64(statement, column)
    return value == 0 && isNull(column) ? nil : value
  }

  /// Nil for NULL.
  func number(_ column: Int32) -> Double? { isNull(column) ? nil : sqlite3_column_double(statement, column) }

  /// The bytes of a text, until the next step; nil for NULL.
  func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8>? {
    sqlite3_column_text(statement, column).map {
      UnsafeBufferPointer(start: $0, count: Int(sqlite3_column_bytes(statement, column)))
    }
  }

  /// Nil for what is not the 16 bytes of one.
  func ulid(_ column: Int32) -> ULID? {
    guard let start = sqlite3_column_blob(statement, column), sqlite3_column_bytes(statement, column) == 16 else {
      return nil
    }
    return ULID(
      high: UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  func name(_ column: Int32) -> String? { sqlite3_column_name(statement, column).map { String(cString: $0) } }
}
