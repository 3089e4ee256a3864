/// The reason why a query cannot be understood, and where.
package struct QueryProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The place in the query, in code points from 1.
  package var column: Int
  /// What is wrong there and what would be right.
  package var sentence: String
  /// The words or values that are permitted there, if they can be listed.
  package var permitted: [String]

  package init(column: Int, _ sentence: String, permitted: [String] = []) {
    self.column = column
    self.sentence = sentence
    self.permitted = permitted
  }

  package var description: String { "the query is wrong at column \(column): \(sentence)" }
}
