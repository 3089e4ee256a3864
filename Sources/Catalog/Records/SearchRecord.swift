import GRDB
import Music

/// The rows of the full-text tables.
enum SearchRecord {
  /// One of the tables.
  enum Table: String {
    case takes = "take_words"
    case trash = "trash_words"
    case songs = "song_words"
    case people = "person_words"

    /// The tables for takes; each take is in one of them.
    static let ofTakes: [Table] = [.takes, .trash]

    /// The column whose values are the numbers of its rows. The plus keeps SQLite from a search by the numbers, whose
    /// rows it would have to sort; of takes it never is one.
    var numbers: String {
      switch self {
      case .takes, .trash: "takes.place"
      case .songs: "+songs.key"
      case .people: "+participants.key"
      }
    }
  }

  /// Stores the words of row `key`.
  static func store(_ words: [String], at key: Int64, in table: Table, of database: Database) throws {
    let text = words.joined(separator: " ")
    let find = try database.cachedStatement(sql: "SELECT words FROM \(table.rawValue) WHERE rowid = ?")
    if let known = try String.fetchOne(find, arguments: [key]) {
      // Most edits change few words, so unchanged rows are not written again.
      guard known != text else { return }
      try database.cachedStatement(sql: "UPDATE \(table.rawValue) SET words = ? WHERE rowid = ?")
        .execute(arguments: [text, key])
    } else {
      try database.cachedStatement(sql: "INSERT INTO \(table.rawValue) (rowid, words) VALUES (?, ?)")
        .execute(arguments: [key, text])
    }
  }

  static func remove(_ key: Int64, from table: Table, of database: Database) throws {
    try database.cachedStatement(sql: "DELETE FROM \(table.rawValue) WHERE rowid = ?").execute(arguments: [key])
  }

  /// Updates the words of a take from its row, tracks and cues.
  static func refresh(take key: Int64, in database: Database) throws {
    let find = try database.cachedStatement(
      sql: """
        SELECT takes.place, takes.deleted_at IS NOT NULL, takes.room, takes.session, takes.song, takes.state,
          takes.rating, takes.is_favourite, takes.title, takes.notes, takes.tags, songs.title
        FROM takes LEFT JOIN songs ON songs.key = takes.song
        WHERE takes.key = ?
        """)
    guard let row = try Row.fetchOne(find, arguments: [key]), let place = try row.decode(Int64?.self, atIndex: 0)
    else { return }
    let rating = try row.decode(Int.self, atIndex: 6)
    let tags = Lines.list(try row.decode(atIndex: 10))
    var facets = [
      SearchFacet.room(try row.decode(atIndex: 2)), SearchFacet.session(try row.decode(atIndex: 3)),
      SearchFacet.state(try row.decode(atIndex: 5)), SearchFacet.favourite(try row.decode(atIndex: 7)),
    ]
    if let song = try row.decode(Int64?.self, atIndex: 4) { facets.append(SearchFacet.song(song)) }
    if rating >= 1 { facets += (1...rating).map(SearchFacet.rating) }
    for tag in tags { facets.append(SearchFacet.tag(try TagRecord.findOrAdd(tag, in: database))) }

    var texts = tags
    for index in [8, 9, 11] { if let text = try row.decode(String?.self, atIndex: index) { texts.append(text) } }
    for person in try people(ofTake: key, in: database) {
      facets.append(SearchFacet.person(person.key))
      texts += person.texts
    }
    texts += try String.fetchAll(
      database.cachedStatement(sql: "SELECT text FROM cues WHERE take = ?"), arguments: [key])

    let isDeleted = try row.decode(Bool.self, atIndex: 1)
    try remove(place, from: isDeleted ? .takes : .trash, of: database)
    // A person with two tracks counts once.
    let words = Set(facets).sorted() + SearchWords.of(texts)
    try store(words, at: place, in: isDeleted ? .trash : .takes, of: database)
  }

  /// The people of a take: the keys of the persons they were merged into, and their search texts.
  private static func people(ofTake take: Int64, in database: Database) throws -> [(key: Int64, texts: [String])] {
    let find = try database.cachedStatement(
      sql: """
        SELECT coalesce(participants.merged_into, participants.key), tracks.name, tracks.part, persons.name,
          persons.given_name
        FROM tracks
        CROSS JOIN participants ON participants.key = tracks.participant
        CROSS JOIN participants persons ON persons.key = coalesce(participants.merged_into, participants.key)
        WHERE tracks.take = ?
        """)
    return try Row.fetchAll(find, arguments: [take]).map { row in
      (try row.decode(atIndex: 0), try (1...4).compactMap { try row.decode(String?.self, atIndex: $0) })
    }
  }
}

/// The rows of `tags`: one for every tag ever used, regardless of case.
enum TagRecord {
  static func findOrAdd(_ tag: String, in database: Database) throws -> Int64 {
    if let key = try find(tag, in: database) { return key }
    try database.execute(sql: "INSERT INTO tags (folded) VALUES (?)", arguments: [SongRecord.folded(tag)])
    return database.lastInsertedRowID
  }

  static func find(_ tag: String, in database: Database) throws -> Int64? {
    try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT key FROM tags WHERE folded = ?"), arguments: [SongRecord.folded(tag)])
  }
}
