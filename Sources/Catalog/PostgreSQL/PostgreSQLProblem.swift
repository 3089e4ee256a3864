import CPQ

/// A failure of the database or of the way to it.
struct PostgreSQLProblem: Error, Hashable {
  /// SQLSTATE, five characters (docs/errcodes-appendix of PostgreSQL); "08006" where the connection failed without one.
  var state: String
  /// What the server or libpq said, on one line.
  var message: String

  /// "connection_failure".
  static let lost = "08006"

  init(state: String = lost, _ message: String) {
    self.state = state
    self.message = message.split(whereSeparator: \.isNewline).joined(separator: "; ")
  }

  /// The failure of a statement.
  /// - Parameter connection: asked for its state, since a broken one has no SQLSTATE.
  init(result: OpaquePointer?, of connection: OpaquePointer) {
    let text = cpq_message(result).map { String(cString: $0) } ?? PQerrorMessage(connection).map { String(cString: $0) }
    let detail = cpq_detail(result).map { ": \(String(cString: $0))" } ?? ""
    self.init(state: cpq_state(result).map { String(cString: $0) } ?? PostgreSQLProblem.lost, (text ?? "") + detail)
  }

  /// True if the connection is of no use any more: classes 08 and 57P, which the server sends before it closes.
  var isLost: Bool { state.hasPrefix("08") || state.hasPrefix("57P") }

  /// True if the same transaction may succeed at once: a conflict of transactions (class 40), or a lock that another one
  /// had for too long.
  var isPassing: Bool { state.hasPrefix("40") || state == "55P03" }

  /// What it means for the caller of the index.
  var meaning: CatalogError {
    switch state.prefix(2) {
    // Values that the schema or a type does not permit.
    case "22", "23", "54": .conflict(message)
    default: .database(state: state, message: message)
    }
  }
}
