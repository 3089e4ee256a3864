import Music

/// A question to the full-text index.
struct MatchExpression: Hashable, Sendable {
  /// Most words of a question.
  static let maximumWords = 16
  /// Longest question, in characters.
  static let maximumLength = 400

  private var terms: [String] = []

  var isEmpty: Bool { terms.isEmpty }
  /// What MATCH gets. Every term is a quoted string of letters and digits, all of which have to be found.
  var text: String { terms.joined(separator: " AND ") }

  /// Asks for a filter's word.
  mutating func add(facet: String) {
    terms.append("\"\(facet)\"")
  }

  /// Asks for every word of `text` as the beginning of one.
  ///
  /// - Returns: false where the text has no word, so that nothing can match.
  /// - Throws: `CatalogError.value` for a text that is too long.
  mutating func add(text: String) throws(CatalogError) -> Bool {
    guard text.count <= MatchExpression.maximumLength else {
      throw .value(
        ValueProblem("text", "\(text.count) characters", "at most \(MatchExpression.maximumLength) characters"))
    }
    let words = SearchWords.split(text)
    guard words.count <= MatchExpression.maximumWords else {
      throw .value(ValueProblem("text", "\(words.count) words", "at most \(MatchExpression.maximumWords) words"))
    }
    // Each word once: "la la land" asks for no more than "la land".
    for word in words where !terms.contains("\"\(word)\" *") { terms.append("\"\(word)\" *") }
    return !words.isEmpty
  }
}
