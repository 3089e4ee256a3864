import GRDB
import Music

extension SQLiteCatalog {
  /// Adds a session. One that is known (a take came first, or it is opened again) gets these times.
  /// - Throws: `CatalogError.sessionElsewhere`.
  package func open(_ session: Session) async throws {
    try await write { try SessionRecord.store(session, in: $0) }
  }

  /// Marks the end of a session.
  /// - Throws: `CatalogError.unknownSession`.
  package func close(_ session: SessionID, at time: WallTime) async throws {
    try await write { database in
      guard try SessionRecord.end(session, at: time, in: database) else { throw CatalogError.unknownSession(session) }
    }
  }

  /// Ends every session that is open, with the last that is known of its takes.
  package func closeLeftSessions() async throws {
    try await write { try SessionRecord.endLeft(in: $0) }
  }

  /// The session of this identifier, nil where there is none.
  package func session(_ id: SessionID) async throws -> Session? {
    try await read { try SessionRecord.find(id, in: $0) }
  }

  /// One page of sessions, the newest first.
  /// - Throws: `CatalogError.invalidCursor`, `.limitOutOfRange`.
  package func sessions(_ query: SessionQuery) async throws -> Page<Session> {
    let listing = try SessionListing(query)
    return try await read { try listing.fetch($0) }
  }

  /// Names of all rooms that ever had a session, in their order.
  package func rooms() async throws -> [RoomName] {
    // Sorted here, so that the order is the one of `RoomName` and not that of bytes.
    try await read { try RoomRecord.all(in: $0).sorted() }
  }
}
