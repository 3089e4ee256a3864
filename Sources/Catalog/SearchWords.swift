import Foundation
import GRDB
import Music

/// Splits users' texts into words for the full-text index, in the same way for rows and for queries.
///
/// Case, accents and width are folded here, and SQLite only splits at spaces, so no text can be taken for query
/// syntax.
enum SearchWords {
  /// Number of significant Unicode scalars per word: the longest prefix index that SQLite supports (see
  /// `0002_library.sql`).
  static let maximumLength = 31
  /// Maximum number of words per row.
  static let maximumCount = 4_000

  /// The distinct words of `texts`, in order.
  static func of(_ texts: [String]) -> [String] {
    var words: Set<String> = []
    for text in texts {
      for word in split(text) where words.count < maximumCount { words.insert(word) }
    }
    return words.sorted()
  }

  /// The words of `text`, in order.
  static func split(_ text: String) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    func end() {
      if !word.isEmpty { words.append(String(word)) }
      word = String.UnicodeScalarView()
    }
    for scalar in folded(text).unicodeScalars {
      switch scalar.properties.generalCategory {
      // Accents and apostrophes are dropped: "don't" is found as "dont".
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

  /// A name without case, accents, apostrophes and width, for comparing it as a whole; punctuation counts, so that the
  /// tags "c" and "c#" differ.
  static func name(_ text: String) -> String {
    var name = String.UnicodeScalarView()
    for scalar in folded(text).unicodeScalars {
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format: continue
      case _ where scalar == "'" || scalar == "’": continue
      default: name.append(scalar)
      }
    }
    return String(name)
  }

  /// The words between blanks, for SQL that looks for words in one text: " blue in green ".
  static func spaced(_ words: [String]) -> String { " \(words.joined(separator: " ")) " }

  /// Folds case and compatibility forms, and separates marks from their letters.
  private static func folded(_ text: String) -> String {
    var folded = ""
    for scalar in text.uppercased().lowercased().decomposedStringWithCompatibilityMapping.unicodeScalars {
      if let spelled = spellings[scalar] { folded += spelled } else { folded.unicodeScalars.append(scalar) }
    }
    return folded
  }

  /// Letters without a Unicode decomposition that many keyboards lack.
  private static let spellings: [Unicode.Scalar: String] = [
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "þ": "th", "ð": "d", "ı": "i",
  ]
}

/// A query for the full-text index.
struct MatchExpression: Hashable, Sendable {
  /// Maximum number of words in a query.
  static let maximumWords = 16
  /// Maximum length of a query, in characters.
  static let maximumLength = 400

  private var terms: [String] = []

  var isEmpty: Bool { terms.isEmpty }
  /// The argument of MATCH: quoted terms of letters and digits, all of which must be found.
  var text: String { terms.joined(separator: " AND ") }

  /// Each stands in quotation marks, and has none itself.
  var wordCount: Int { terms.reduce(0) { $0 + $1.utf8.count { $0 == UInt8(ascii: "\"") } } / 2 }

  /// Adds the word of a filter.
  mutating func add(facet: String) {
    terms.append("\"\(facet)\"")
  }

  /// Adds an expression of FTS5 that is made of quoted words only.
  mutating func add(expression: String) {
    terms.append(expression)
  }

  /// Adds every word of `text` as a prefix.
  ///
  /// - Returns: false if the text has no words, so that nothing can match.
  /// - Throws: `CatalogError.value` if the text is too long.
  mutating func add(text: String) throws(CatalogError) -> Bool {
    guard text.count <= MatchExpression.maximumLength else {
      throw .value(
        ValueProblem("text", "\(text.count) characters", "at most \(MatchExpression.maximumLength) characters"))
    }
    let words = SearchWords.split(text)
    guard words.count <= MatchExpression.maximumWords else {
      throw .value(ValueProblem("text", "\(words.count) words", "at most \(MatchExpression.maximumWords) words"))
    }
    // Each word once: "la la land" is equivalent to "la land".
    for word in words where !terms.contains("\"\(word)\" *") { terms.append("\"\(word)\" *") }
    return !words.isEmpty
  }
}

/// `jamjar_words(TEXT)`, `jamjar_lines(TEXT)` and `jamjar_names(TEXT)` in SQL: the words of a text, " blue in green "; those
/// of each line apart from the next, so that no phrase runs from one tag into another; each line as a name, behind a line
/// feed.
enum SearchFunctions {
  static let all = [
    DatabaseFunction("jamjar_words", argumentCount: 1, pure: true) { values in
      String.fromDatabaseValue(values[0]).map { SearchWords.spaced(SearchWords.split($0)) }
    },
    DatabaseFunction("jamjar_names", argumentCount: 1, pure: true) { values in
      String.fromDatabaseValue(values[0]).map { text in
        text.split(separator: "\n").map { "\n" + SearchWords.name(String($0)) }.joined()
      }
    },
    DatabaseFunction("jamjar_lines", argumentCount: 1, pure: true) { values in
      String.fromDatabaseValue(values[0]).map { text in
        text.split(separator: "\n").map { SearchWords.spaced(SearchWords.split(String($0))) }.joined(separator: "|")
      }
    },
  ]
}

/// A filter as a word of the full-text index: an underscore, a letter, and the key of the filter value.
enum SearchFacet {
  static func room(_ key: Int64) -> String { "_r\(key)" }
  static func song(_ key: Int64) -> String { "_s\(key)" }
  static func session(_ key: Int64) -> String { "_g\(key)" }
  /// The person into whom others were merged.
  static func person(_ key: Int64) -> String { "_p\(key)" }
  static func tag(_ key: Int64) -> String { "_t\(key)" }
  static func state(_ state: TakeState) -> String { "_z\(state.rawValue)" }
  static func favourite(_ isFavourite: Bool) -> String { isFavourite ? "_f1" : "_f0" }
  /// A take has one for its rating and one for every lower rating.
  static func rating(atLeast rating: Int) -> String { "_m\(rating)" }
}
