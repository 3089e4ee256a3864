import GRDB
import Music

/// The statement behind a list of people: along their names, or through the full-text index.
struct PersonListing {
  private let query: PersonQuery
  private let found: ListCursor
  private let named: TextCursor

  /// - Throws: `CatalogError.invalidCursor`, `.limitOutOfRange`.
  init(_ query: PersonQuery) throws(CatalogError) {
    guard TakeListing.limits.contains(query.limit) else { throw .limitOutOfRange(query.limit) }
    self.query = query
    found = try ListCursor.read(query.text == nil ? nil : query.cursor, of: .foundPeople)
    named = try TextCursor.read(query.text == nil ? query.cursor : nil, of: .people)
  }

  func statement() throws -> TakeListing.Statement? {
    guard let text = query.text else {
      return TakeListing.Statement(
        sql: """
          SELECT \(PersonRecord.columns) FROM participants
          WHERE merged_into IS NULL AND (folded_name, id) > (?, ?) ORDER BY folded_name, id LIMIT ?
          """, arguments: [named.text, ParticipantID(named.id), query.limit + 1])
    }
    var match = MatchExpression()
    guard try match.add(text: text) else { return nil }
    return TakeListing.Statement(
      sql: """
        SELECT \(PersonRecord.columns)
        FROM person_words CROSS JOIN participants ON participants.key = person_words.rowid
        WHERE person_words MATCH ? AND person_words.rowid < ? ORDER BY person_words.rowid DESC LIMIT ?
        """, arguments: [match.text, found.number, query.limit + 1])
  }

  func fetch(_ database: Database) throws -> Page<Person> {
    guard let statement = try statement() else { return Page(items: [], next: nil) }
    let rows = try PersonRecord.fetch(database, sql: statement.sql, arguments: statement.arguments)
    let people = rows.prefix(query.limit)
    guard rows.count > query.limit, let last = people.last else {
      return Page(items: people.map(\.person), next: nil)
    }
    let next =
      query.text == nil
      ? TextCursor(.people, text: last.foldedName, id: last.person.id.ulid).encoded
      : ListCursor(.foundPeople, number: last.key).text
    return Page(items: people.map(\.person), next: next)
  }
}
