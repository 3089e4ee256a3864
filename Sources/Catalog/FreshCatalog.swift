import Music

/// An empty index beside the one that is there, to be filled in one go and put in its place.
package struct FreshCatalog: Sendable {
  package let engine: any CatalogEngine
  private let install: @Sendable () async throws -> Void

  /// - Throws: `CatalogError`.
  package init(for place: CatalogPlace, now: WallTime) async throws {
    switch place {
    case .file(let path):
      let fresh = try SQLiteCatalog.fresh(at: path + ".rebuild", now: now)
      engine = fresh
      install = { try fresh.replace(path) }
    case .postgreSQL(let address):
      let fresh = try await PostgreSQLCatalog.fresh(address)
      engine = fresh
      install = { try await fresh.replace(address) }
    }
  }

  /// Puts it in the place of the old one, in a single step. Nothing may write to the old one meanwhile. This one is closed.
  /// - Throws: `CatalogError`.
  package func replace() async throws { try await install() }
}
