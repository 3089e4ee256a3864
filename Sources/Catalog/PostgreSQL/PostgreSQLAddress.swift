import CPQ
import Music

/// Where the database is: `postgresql://user:password@host:port/name?…`, in every form that libpq reads.
package struct PostgreSQLAddress: Hashable, Sendable {
  /// The whole, with its password.
  let text: String
  /// The address for people, without user and password.
  package let place: String
  /// The schema with the tables.
  private(set) var schema = "jamjar"

  /// The same with another schema, for an index that is being made.
  var beside: PostgreSQLAddress {
    var beside = self
    beside.schema = "jamjar_rebuild"
    return beside
  }

  /// True for what is meant as an address of PostgreSQL rather than as a file.
  package static func isMeant(by text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  /// - Throws: `CatalogError.value` for what libpq does not read.
  package init(_ text: String) throws(CatalogError) {
    guard PostgreSQLAddress.isMeant(by: text), !text.utf8.contains(0) else {
      throw .value(
        ValueProblem("catalog", PostgreSQLAddress.withoutPassword(text), "postgresql://[user@]host[:port]/database"))
    }
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(text, &message) else {
      // libpq's message may quote the address, and so the password.
      PQfreemem(message)
      throw .value(
        ValueProblem("catalog", PostgreSQLAddress.withoutPassword(text), "postgresql://[user@]host[:port]/database"))
    }
    defer { PQconninfoFree(options) }
    var known: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { known[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    self.text = text
    let port = known["port"].map { ":\($0)" } ?? ""
    place = "postgresql://\(known["host"] ?? "localhost")\(port)/\(known["dbname"] ?? known["user"] ?? "")"
  }

  /// The text up to an @, which ends user and password, left out.
  private static func withoutPassword(_ text: String) -> String {
    guard let at = text.lastIndex(of: "@") else { return String(text.prefix(80)) }
    return "…" + text[at...].prefix(80)
  }
}
