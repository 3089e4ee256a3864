import Music

/// Words and texts of takes, songs and people, folded by `SearchWords` as in SQLite.
enum PostgreSQLSearch {
  /// What is in the song book.
  enum Book {
    case songs, people

    init(_ kind: BookKind) { self = kind == .songs ? .songs : .people }

    var table: String { self == .songs ? "songs" : "participants" }
    var texts: String { self == .songs ? "song_texts" : "person_texts" }
  }

  /// Stores the texts of a song or a person, by their fields, and the words of all of them.
  static func store(
    _ texts: [(field: String, text: String)], of key: Int64, in book: Book, of database: PostgreSQLConnection
  ) throws {
    try database.execute(
      "UPDATE \(book.table) SET words = array_to_tsvector($1::text[]) WHERE key = $2",
      [PostgreSQLList(SearchWords.of(texts.map(\.text))), key])
    try database.execute("DELETE FROM \(book.texts) WHERE item = $1", [key])
    for (field, text) in texts {
      try database.execute(
        "INSERT INTO \(book.texts) (item, field, words, name) VALUES ($1, $2, $3, $4)",
        [key, field, SearchWords.spaced(SearchWords.split(text)), SearchWords.name(text)])
    }
  }

  /// Updates the words and texts of a take from its row, tracks and cues.
  static func refresh(take key: Int64, in database: PostgreSQLConnection) throws {
    let rows = try database.all(
      """
      SELECT takes.title, takes.notes, takes.tags, songs.title
      FROM takes LEFT JOIN songs ON songs.key = takes.song WHERE takes.key = $1
      """, [key]
    ) { row in
      (title: row.text(0), notes: row.text(1), tags: Lines.list(row.text(2)), song: row.text(3))
    }
    guard let row = rows.first else { return }
    var facets: Set<String> = []
    for tag in row.tags { facets.insert(SearchFacet.tag(try findOrAdd(tag: tag, in: database))) }
    var texts = row.tags.map { (field: "tag", text: $0) }
    if let title = row.title { texts.append((field: "title", text: title)) }
    if let notes = row.notes { texts.append((field: "note", text: notes)) }
    if let song = row.song { texts.append((field: "song", text: song)) }
    for person in try people(ofTake: key, in: database) {
      facets.insert(SearchFacet.person(person.key))
      texts += person.texts.map { (field: "person", text: $0) }
    }
    texts += try database.all("SELECT text FROM cues WHERE take = $1", [key]) {
      (field: "cue", text: $0.text(0) ?? "")
    }

    let words = facets.sorted() + SearchWords.of(texts.map(\.text))
    try database.execute(
      "UPDATE takes SET words = array_to_tsvector($1::text[]) WHERE key = $2", [PostgreSQLList(words), key])
    try database.execute("DELETE FROM take_texts WHERE take = $1", [key])
    for (field, text) in texts {
      try database.execute(
        "INSERT INTO take_texts (take, field, words) VALUES ($1, $2, $3)",
        [key, field, SearchWords.spaced(SearchWords.split(text))])
    }
  }

  /// The people of a take: the keys of the persons they were merged into, and their search texts.
  private static func people(
    ofTake take: Int64, in database: PostgreSQLConnection
  ) throws -> [(key: Int64, texts: [String])] {
    try database.all(
      """
      SELECT persons.key, tracks.name, tracks.part, persons.name, persons.given_name
      FROM tracks
      JOIN participants ON participants.key = tracks.participant
      JOIN participants persons ON persons.key = coalesce(participants.merged_into, participants.key)
      WHERE tracks.take = $1
      """, [take]
    ) { row in
      (key: try row[0] as Int64, texts: (1...4).compactMap { row.text($0) })
    }
  }

  // MARK: Tags

  private static func findOrAdd(tag: String, in database: PostgreSQLConnection) throws -> Int64 {
    if let key = try find(tag: tag, in: database) { return key }
    let key = try database.integer("INSERT INTO tags (folded) VALUES ($1) RETURNING key", [SongRecord.folded(tag)])
    guard let key else { throw CatalogError.conflict("a tag got no key") }
    return key
  }

  static func find(tag: String, in database: PostgreSQLConnection) throws -> Int64? {
    let folded = SongRecord.folded(tag)
    // No tag has one, and PostgreSQL cannot be asked for it.
    guard !folded.utf8.contains(0) else { return nil }
    return try database.integer("SELECT key FROM tags WHERE folded = $1", [folded])
  }
}
