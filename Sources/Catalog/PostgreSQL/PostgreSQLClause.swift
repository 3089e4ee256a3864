import Music

/// Part of a statement, with a question mark for each of its values.
struct PostgreSQLClause {
  var sql: String
  var values: [(any PostgreSQLValue)?]

  init(_ sql: String, _ values: [(any PostgreSQLValue)?] = []) {
    (self.sql, self.values) = (sql, values)
  }

  static let everything = PostgreSQLClause("true")
  static let nothing = PostgreSQLClause("false")

  /// In parentheses, between `word`s.
  static func joined(_ parts: [PostgreSQLClause], by word: String) -> PostgreSQLClause {
    PostgreSQLClause("(\(parts.map(\.sql).joined(separator: " \(word) ")))", parts.flatMap(\.values))
  }

  /// All of them; everything for none.
  static func every(_ parts: [PostgreSQLClause]) -> PostgreSQLClause {
    parts.isEmpty ? everything : joined(parts, by: "AND")
  }

  /// One of them; nothing for none.
  static func some(_ parts: [PostgreSQLClause]) -> PostgreSQLClause {
    parts.isEmpty ? nothing : joined(parts, by: "OR")
  }

  /// No clause is NULL for any row, so that this is what the clause is not.
  static func not(_ part: PostgreSQLClause) -> PostgreSQLClause {
    PostgreSQLClause("(NOT \(part.sql))", part.values)
  }

  /// `column` is one of `keys`.
  static func any(_ keys: some Collection<Int64>, of column: String) -> PostgreSQLClause {
    keys.isEmpty ? nothing : PostgreSQLClause("coalesce(\(column) = ANY (?::bigint[]), false)", [PostgreSQLList(keys)])
  }

  /// The statement as PostgreSQL wants it, with a number for each value. No text of ours has a question mark otherwise.
  var numbered: String {
    var number = 0
    var text = ""
    for character in sql {
      if character == "?" {
        number += 1
        text += "$\(number)"
      } else {
        text.append(character)
      }
    }
    return text
  }
}

/// Words for `tsquery`: quoted, so that no word is an operator.
enum PostgreSQLWords {
  /// Every one of `words` is there.
  static func whole(_ words: [String], in column: String) -> PostgreSQLClause {
    match(words.map(quoted), in: column)
  }

  /// Every word of `text` begins a word.
  /// - Throws: `CatalogError.value` for a text of too many words.
  static func beginnings(of text: String, in column: String) throws -> PostgreSQLClause {
    var limits = MatchExpression()
    guard try limits.add(text: text) else { return .nothing }
    return beginnings(SearchWords.split(text), in: column)
  }

  /// Each of `words` begins a word.
  static func beginnings(_ words: [String], in column: String) -> PostgreSQLClause {
    match(Set(words).sorted().map { "\(quoted($0)):*" }, in: column)
  }

  private static func match(_ terms: [String], in column: String) -> PostgreSQLClause {
    PostgreSQLClause("\(column) @@ ?::tsquery", [terms.joined(separator: " & ")])
  }

  private static func quoted(_ word: String) -> String {
    "'\(word.replacing("\\", with: "\\\\").replacing("'", with: "''"))'"
  }
}

/// Texts in rows of their own that belong to a row of a list.
struct PostgreSQLTexts {
  var table: String
  /// The condition that ties them to the row of the list, as SQL.
  var tie: String

  static let ofTakes = PostgreSQLTexts(table: "take_texts", tie: "texts.take = takes.key")
  static let ofSongs = PostgreSQLTexts(table: "song_texts", tie: "texts.item = songs.key")
  static let ofPeople = PostgreSQLTexts(table: "person_texts", tie: "texts.item = participants.key")

  /// One of the texts of these fields (of all for nil) fits.
  private func some(_ fields: [String]?, _ test: PostgreSQLClause) -> PostgreSQLClause {
    let field = fields.map { PostgreSQLClause("texts.field = ANY (?::text[])", [PostgreSQLList($0)]) }
    let all = PostgreSQLClause.every([PostgreSQLClause(tie), field ?? .everything, test])
    return PostgreSQLClause("EXISTS (SELECT 1 FROM \(table) texts WHERE \(all.sql))", all.values)
  }

  /// Every word of `text` begins a word of one of the fields.
  /// - Throws: `CatalogError.value` for a text of too many words.
  func beginnings(of text: String, in fields: [String], words column: String) throws -> PostgreSQLClause {
    let words = SearchWords.split(text)
    return .every(
      [try PostgreSQLWords.beginnings(of: text, in: column)]
        + words.map { some(fields, PostgreSQLClause("strpos(texts.words, ?) > 0", [" \($0)"])) })
  }

  /// The words of `text` stand side by side in one text.
  func phrase(_ text: String, in fields: [String]?, words column: String) -> PostgreSQLClause {
    let words = SearchWords.split(text)
    guard !words.isEmpty else { return .nothing }
    let all = PostgreSQLWords.whole(words, in: column)
    guard fields != nil || words.count > 1 else { return all }
    return .every([all, some(fields, PostgreSQLClause("strpos(texts.words, ?) > 0", [SearchWords.spaced(words)]))])
  }

  /// One of the texts is the folded name `wanted`, or begins with it.
  func named(_ wanted: String, isBeginning: Bool, in fields: [String]) -> PostgreSQLClause {
    some(fields, PostgreSQLClause(isBeginning ? "starts_with(texts.name, ?)" : "texts.name = ?", [wanted]))
  }
}
