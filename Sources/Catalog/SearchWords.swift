import Foundation
import Music

/// Makes words for the full-text index of what people write, the same for rows and for questions.
///
/// Case, accents and width are folded here, so that SQLite's part is only to split at blanks: there is no text that it
/// could take for syntax.
enum SearchWords {
  /// Longest word that is told from others, in Unicode scalars: as many as SQLite can have beginnings of in lists of
  /// their own (see `0002_library.sql`).
  static let maximumLength = 31
  /// Most words of one row: more is not a note but a book.
  static let maximumCount = 4_000

  /// The words of `texts`, each once, in order.
  static func of(_ texts: [String]) -> [String] {
    var words: Set<String> = []
    for text in texts {
      for word in split(text) where words.count < maximumCount { words.insert(word) }
    }
    return words.sorted()
  }

  /// The words of `text` in their order.
  static func split(_ text: String) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    func end() {
      if !word.isEmpty { words.append(String(word)) }
      word = String.UnicodeScalarView()
    }
    for scalar in folded(text).unicodeScalars {
      switch scalar.properties.generalCategory {
      // An accent, or an apostrophe: "don't" is found as "dont".
      case .nonspacingMark, .enclosingMark, .format: continue
      case _ where scalar == "'" || scalar == "’": continue
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
        .letterNumber, .otherNumber, .otherSymbol, .spacingMark:
        if word.count < maximumLength { word.append(scalar) }
      default: end()
      }
    }
    end()
    return words
  }

  /// Without case and compatibility forms, marks apart from their letters.
  private static func folded(_ text: String) -> String {
    var folded = ""
    for scalar in text.uppercased().lowercased().decomposedStringWithCompatibilityMapping.unicodeScalars {
      if let spelled = spellings[scalar] { folded += spelled } else { folded.unicodeScalars.append(scalar) }
    }
    return folded
  }

  /// Letters that Unicode does not decompose, though keyboards lack them.
  private static let spellings: [Unicode.Scalar: String] = [
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "þ": "th", "ð": "d", "ı": "i",
  ]
}

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

/// A filter as a word of the full-text index: a low line, a letter, and the key of what is filtered by.
enum SearchFacet {
  static func room(_ key: Int64) -> String { "_r\(key)" }
  static func song(_ key: Int64) -> String { "_s\(key)" }
  static func session(_ key: Int64) -> String { "_g\(key)" }
  /// The person that others were merged into.
  static func person(_ key: Int64) -> String { "_p\(key)" }
  static func tag(_ key: Int64) -> String { "_t\(key)" }
  static func state(_ state: TakeState) -> String { "_z\(state.rawValue)" }
  static func favourite(_ isFavourite: Bool) -> String { isFavourite ? "_f1" : "_f0" }
  /// A take has one for its rating and for every lower one.
  static func rating(atLeast rating: Int) -> String { "_m\(rating)" }
}
