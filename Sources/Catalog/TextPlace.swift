import Music

/// Where a text is: in a column of the row that is looked at, or of rows that belong to it.
struct TextPlace {
  /// SQL for words as `jamjar_words` makes them.
  var columns: [String]
  /// The tables and the condition of such rows; nil for columns of the row itself.
  var tables: String?

  /// The rows in one of whose `places` `test`, SQL of a column with one value, holds.
  static func rows(
    _ places: [TextPlace], where test: (String) -> String, _ value: String
  ) -> ConditionPlan.Rows {
    let parts = places.map { place in
      let found = place.columns.map(test).joined(separator: " OR ")
      return ConditionPlan.Rows(
        place.tables.map { "EXISTS (SELECT 1 FROM \($0) AND (\(found)))" } ?? "(\(found))",
        place.columns.map { _ in value })
    }
    return ConditionPlan.Rows.joined(parts, by: "OR") ?? ConditionPlan.Rows("0")
  }

  /// The rows with `words` in one of `places`.
  fileprivate static func rows(_ places: [TextPlace], _ words: String) -> ConditionPlan.Rows {
    // A missing text has no words.
    rows(places, where: { "coalesce(instr(\($0), ?), 0) > 0" }, words)
  }
}

extension ConditionPlan {
  /// Every word of `text` begins a word.
  /// - Throws: `CatalogError.value` for a text of too many words.
  static func beginnings(of text: String) throws -> ConditionPlan {
    var match = MatchExpression()
    return try match.add(text: text) ? .words("(\(match.text))") : .never
  }

  /// The same in one of `places`.
  static func beginnings(of text: String, in places: [TextPlace]) throws -> ConditionPlan {
    .every(
      [try beginnings(of: text)] + SearchWords.split(text).map { .rows(TextPlace.rows(places, " \($0)")) })
  }

  /// Words that stand side by side in one of `places`. The index knows the words of a row without their order.
  static func phrase(
    _ text: String, isAlwaysChecked: Bool = false, in places: () -> [TextPlace]
  ) -> ConditionPlan {
    let words = SearchWords.split(text)
    guard !words.isEmpty else { return .never }
    let all = words.map { ConditionPlan.words("\"\($0)\"") }
    guard isAlwaysChecked || words.count > 1 else { return .every(all) }
    return .every(all + [.rows(TextPlace.rows(places(), SearchWords.spaced(words)))])
  }
}
