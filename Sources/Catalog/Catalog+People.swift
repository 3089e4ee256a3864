import GRDB
import Music

extension SQLiteCatalog {
  /// The person who has or had this identifier: that of whom they were merged into, where they were.
  package func person(_ id: ParticipantID) async throws -> Person? {
    try await read { try PersonRecord.find(id, in: $0) }
  }

  /// One page of people.
  /// - Throws: `CatalogError.invalidCursor`, `.limitOutOfRange`, `.value`.
  package func people(_ query: PersonQuery) async throws -> Page<Person> {
    let listing = try PersonListing(query)
    return try await read { try listing.fetch($0) }
  }

  /// Stores a person's name, revision, and exactly the merged ones that they name; nothing where the index knows none.
  package func store(_ person: Person) async throws {
    try await write { try PersonRecord.store(person, in: $0) }
  }
}
