import Music

extension PostgreSQLCatalog {
  /// Creates an empty index in a schema beside that of the index.
  static func fresh(_ address: PostgreSQLAddress) async throws -> PostgreSQLCatalog {
    let beside = address.beside
    try await once(beside) { connection in
      try PostgreSQLSchema(place: beside.place).occupy(connection)
      try connection.run("DROP SCHEMA IF EXISTS \(beside.schema) CASCADE")
    }
    return try await open(beside)
  }

  /// Makes this index, which `fresh` made, that of `address`: whoever asks finds either the old or the new one.
  /// - Throws: `CatalogError.database` while a service uses the old one.
  func replace(_ address: PostgreSQLAddress) async throws {
    try close()
    let (former, beside) = (address.schema, address.beside.schema)
    try await PostgreSQLCatalog.once(address) { connection in
      try PostgreSQLSchema(place: address.place).occupy(connection)
      try connection.run(
        """
        BEGIN; SET LOCAL statement_timeout = 0; DROP SCHEMA IF EXISTS \(former) CASCADE;
        ALTER SCHEMA \(beside) RENAME TO \(former); COMMIT
        """)
    }
  }
}
