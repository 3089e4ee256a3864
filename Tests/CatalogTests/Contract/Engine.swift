import Testing

@testable import Catalog

/// An engine of the index, for tests that hold all of them to the same answers.
enum Engine: String, CaseIterable, CustomTestStringConvertible {
  case sqlite, postgreSQL

  var testDescription: String { rawValue }

  /// An empty index.
  func shelf() async throws -> EngineShelf {
    switch self {
    case .sqlite:
      let shelf = try Shelf()
      return try await EngineShelf { try shelf.open() }
    case .postgreSQL:
      let address = try await PostgreSQLCluster.shared.value.database()
      return try await EngineShelf { try await PostgreSQLCatalog.open(address) }
    }
  }
}

/// An index for one test, and the way to open it once more.
final class EngineShelf: Sendable {
  let catalog: any CatalogEngine
  let open: @Sendable () async throws -> any CatalogEngine

  init(_ open: @escaping @Sendable () async throws -> any CatalogEngine) async throws {
    self.open = open
    catalog = try await open()
  }

  deinit { try? catalog.close() }
}
