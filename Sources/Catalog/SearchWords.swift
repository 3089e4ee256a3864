import Foundation

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
