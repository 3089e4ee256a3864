import Music

/// A value that is bound to a statement, in the notation in which PostgreSQL reads its type.
protocol PostgreSQLValue: Sendable {
  /// Nil for NULL.
  var bound: String? { get }
}

extension String: PostgreSQLValue {
  var bound: String? { self }
}

extension Int: PostgreSQLValue {
  var bound: String? { "\(self)" }
}

extension Int64: PostgreSQLValue {
  var bound: String? { "\(self)" }
}

extension Double: PostgreSQLValue {
  /// NULL for what is no number, as SQLite has it.
  var bound: String? { isNaN ? nil : "\(self)" }
}

/// 0 or 1: the columns are as in SQLite.
extension Bool: PostgreSQLValue {
  var bound: String? { self ? "1" : "0" }
}

extension WallTime: PostgreSQLValue {
  var bound: String? { "\(milliseconds)" }
}

extension SamplePosition: PostgreSQLValue {
  var bound: String? { "\(samples)" }
}

extension TakeState: PostgreSQLValue {
  var bound: String? { rawValue }
}

extension Identifier: PostgreSQLValue {
  var bound: String? { ulid.bound }
}

/// 32 hexadecimal digits, which `uuid` reads without dashes.
extension ULID: PostgreSQLValue {
  var bound: String? { [high, low].map(ULID.digits).joined() }

  private static func digits(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
  }
}

/// A list for `= ANY`.
struct PostgreSQLList: PostgreSQLValue {
  let bound: String?

  init(_ keys: some Collection<Int64>) { bound = "{\(keys.map { "\($0)" }.joined(separator: ","))}" }

  init(_ texts: some Collection<String>) {
    let quoted = texts.map { text in
      "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
    bound = "{\(quoted.joined(separator: ","))}"
  }
}
