import GRDB
import Music

extension SQLiteCatalog {
  /// The song of this identifier, nil where there is none.
  package func song(_ id: SongID) async throws -> Song? {
    try await read { try SongRecord.find(id, in: $0)?.song }
  }

  /// The song of this title in any case, the oldest where there are several, nil where there is none.
  package func song(titled title: String) async throws -> Song? {
    guard let title = SongRecord.title(title) else { return nil }
    return try await read { try SongRecord.find(titled: title, in: $0) }
  }
}
