import Music

/// Where the index of a data folder is kept.
package enum CatalogPlace: Hashable, Sendable {
  /// A file of SQLite.
  case file(String)
  case postgreSQL(PostgreSQLAddress)

  /// The name of the file in a data folder.
  package static let fileName = "jamjar.sqlite"

  /// - Parameter address: of PostgreSQL; nil for the file in the folder.
  /// - Throws: `CatalogError.value` for what is no address.
  package init(_ address: String?, data: String) throws(CatalogError) {
    if let address {
      self = .postgreSQL(try PostgreSQLAddress(address))
    } else {
      self = .file("\(data)/\(CatalogPlace.fileName)")
    }
  }

  /// The index for the service, made or brought to this program's schema if necessary.
  /// - Throws: `CatalogError`.
  package func open(now: WallTime) async throws -> any CatalogEngine {
    switch self {
    case .file(let path): try SQLiteCatalog.open(at: path, now: now)
    case .postgreSQL(let address): try await PostgreSQLCatalog.open(address, isAlone: true)
    }
  }

  /// The index beside a service that may be running.
  /// - Throws: `CatalogError`.
  package func openBeside(forReadingOnly: Bool) async throws -> any CatalogEngine {
    switch self {
    case .file(let path): try SQLiteCatalog.open(beside: path, forReadingOnly: forReadingOnly)
    case .postgreSQL(let address): try await PostgreSQLCatalog.open(beside: address)
    }
  }
}

extension CatalogPlace: CustomStringConvertible {
  /// Without user and password.
  package var description: String {
    switch self {
    case .file(let path): path
    case .postgreSQL(let address): address.place
    }
  }
}
