extension Condition {
  /// Most characters of a query.
  package static var longestText: Int { 2_000 }
  /// Most terms of a query.
  package static var mostTerms: Int { 32 }
  /// Most parentheses and signs within each other.
  static var greatestDepth: Int { 12 }

  fileprivate init<Field: QueryField>(reading text: String, of _: Field.Type, now: WallTime) throws(QueryProblem)
  where Field.Term == Term {
    guard text.unicodeScalars.count <= Condition.longestText else {
      throw QueryProblem(column: Condition.longestText, "a query has \(Condition.longestText) characters at most")
    }
    var reader = QueryReader<Field>(text, now: now)
    self = try reader.query()
  }
}

extension TakeCondition {
  /// Reads a query for takes.
  /// - Parameter now: what "today" and "7d" count from. Days are those of UTC.
  /// - Throws: `QueryProblem` with the column.
  package init(reading text: String, now: WallTime) throws(QueryProblem) {
    try self.init(reading: text, of: TakeField.self, now: now)
  }
}

extension BookCondition {
  /// Reads a query for songs or people.
  /// - Throws: `QueryProblem` with the column.
  package init(reading text: String, of book: BookKind) throws(QueryProblem) {
    // None of their fields is a time.
    let now = WallTime(milliseconds: 0)
    switch book {
    case .songs: try self.init(reading: text, of: SongField.self, now: now)
    case .people: try self.init(reading: text, of: PersonField.self, now: now)
    }
  }
}

/// Reads the grammar of docs/query.md from left to right.
///
/// By code points, since a mark after a quote would make one character of both.
struct QueryReader<Field: QueryField> {
  private typealias Found = Condition<Field.Term>

  private let characters: [Unicode.Scalar]
  /// What "today" counts from.
  private let instant: WallTime
  private var index = 0
  private var terms = 0

  init(_ text: String, now: WallTime) {
    characters = Array(text.unicodeScalars)
    instant = now
  }

  mutating func query() throws(QueryProblem) -> Condition<Field.Term> {
    let found = try alternatives(depth: 0)
    if peek == ")" { throw problem(at: index, "this ) has no ( before it; remove it, or put quotes around the text") }
    guard let found else {
      throw problem(
        at: 0, "there is nothing to search for; give words with letters or digits, or a field such as tag:x")
    }
    return found
  }

  // MARK: The grammar

  /// `a OR b`; nil if nothing but punctuation stands there.
  private mutating func alternatives(depth: Int) throws(QueryProblem) -> Found? {
    guard depth <= Found.greatestDepth else {
      throw problem(
        at: index, "parentheses and signs are nested too deep here; \(Found.greatestDepth) levels are permitted"
      )
    }
    var parts: [Found] = []
    var operatorPlace: Int?
    while true {
      let part = try conjunction(depth: depth)
      if let part {
        parts.append(part)
      } else if let operatorPlace {
        throw problem(at: operatorPlace, "something to find is missing after OR")
      }
      let place = index
      guard keyword("OR") else { break }
      guard part != nil else {
        throw problem(at: place, "something to find is missing before OR; put quotes around it to search for the word")
      }
      operatorPlace = place
    }
    return parts.isEmpty ? nil : .some(parts)
  }

  private mutating func conjunction(depth: Int) throws(QueryProblem) -> Found? {
    var parts: [Found] = []
    while true {
      skipBlanks()
      guard let next = peek, next != ")", !isAt("OR") else { break }
      let place = index
      if keyword("AND") {
        skipBlanks()
        guard !parts.isEmpty, let next = peek, next != ")", !isAt("OR"), !isAt("AND") else {
          throw problem(at: place, "AND stands between two conditions; put quotes around it to search for the word")
        }
        continue
      }
      if isAt("NOT") {
        throw problem(at: place, "write -tag:x rather than NOT tag:x; put quotes around NOT to search for the word")
      }
      if let part = try operand(depth: depth) { parts.append(part) }
    }
    return parts.isEmpty ? nil : .every(parts)
  }

  private mutating func operand(depth: Int) throws(QueryProblem) -> Found? {
    guard depth <= Found.greatestDepth else { return try alternatives(depth: depth) }
    switch peek {
    case "-"
    where index + 1 < characters.count && !characters[index + 1].properties.isWhitespace && characters[index + 1] != ")":
      index += 1
      return try operand(depth: depth + 1).map { .not($0) }
    case "(":
      let start = index
      index += 1
      let inner = try alternatives(depth: depth + 1)
      guard peek == ")" else {
        throw problem(at: start, "this ( is never closed; add a ), or put quotes around the text")
      }
      index += 1
      return inner
    default: return try term()
    }
  }

  // MARK: Terms

  private mutating func term() throws(QueryProblem) -> Found? {
    let start = index
    if peek == "\"" {
      let text = try quoted()
      guard text.hasLetters else {
        throw problem(at: start, "there is no letter or digit between these quotes")
      }
      return try counted(.term(.phrase(text)), from: start)
    }
    let bare = bare()
    guard let colon = bare.firstIndex(of: ":"), colon > 0,
      bare[..<colon].allSatisfy({ $0.isASCII && $0.properties.isAlphabetic })
    else {
      let text = Self.text(bare[...])
      return text.hasLetters ? try counted(.term(.word(text)), from: start) : nil
    }
    let name = Self.text(bare[..<colon])
    guard let field = Field(name) else {
      let nearest = Field.nearest(to: name).map { "perhaps \($0) is meant" }
      throw problem(
        at: start,
        "there is no field \"\(name.prefix(32))\"; \(nearest ?? "put quotes around it to search for the text"); the "
          + "fields are \(Field.names.joined(separator: ", "))", permitted: Field.names)
    }
    var value = QueryValue(
      field: name.lowercased(), text: Self.text(bare[(colon + 1)...]), isQuoted: false, column: start + colon + 2
    )
    if value.text.isEmpty, peek == "\"" {
      value.text = try quoted()
      value.isQuoted = true
      if peek == "*" {
        index += 1
        value.isBeginning = true
      }
    } else if value.text.hasSuffix("*") {
      value.text.removeLast()
      value.isBeginning = true
    }
    guard !value.text.allSatisfy(\.isWhitespace) else {
      throw problem(
        at: start, "there is no value after \(name):; write \(name):VALUE without a blank, in quotes if it has blanks")
    }
    return try counted(try field.condition(value, now: instant), from: start)
  }

  private mutating func counted(_ condition: Found, from start: Int) throws(QueryProblem) -> Found {
    terms += 1
    guard terms <= Found.mostTerms else {
      throw problem(at: start, "a query has \(Found.mostTerms) words and conditions at most")
    }
    return condition
  }

  // MARK: Characters

  private var peek: Unicode.Scalar? { index < characters.count ? characters[index] : nil }

  private mutating func skipBlanks() {
    while let next = peek, next.properties.isWhitespace { index += 1 }
  }

  private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }

  private static func ends(_ character: Unicode.Scalar) -> Bool {
    character.properties.isWhitespace || character == "(" || character == ")" || character == "\""
  }

  private mutating func bare() -> [Unicode.Scalar] {
    let start = index
    while let next = peek, !Self.ends(next) { index += 1 }
    return Array(characters[start..<index])
  }

  /// The text between two quotes, in which `\"` is a quote and `\\` a backslash.
  private mutating func quoted() throws(QueryProblem) -> String {
    let start = index
    var text = String.UnicodeScalarView()
    index += 1
    while let next = peek {
      index += 1
      if next == "\"" { return String(text) }
      if next == "\\", let escaped = peek, escaped == "\"" || escaped == "\\" {
        text.append(escaped)
        index += 1
      } else {
        text.append(next)
      }
    }
    throw problem(at: start, "this quote is never closed; add a \" at the end of the text")
  }

  /// True if the word `word` in capitals stands here.
  private func isAt(_ word: String) -> Bool {
    let end = index + word.unicodeScalars.count
    guard end <= characters.count, characters[index..<end].elementsEqual(word.unicodeScalars) else { return false }
    return end == characters.count || Self.ends(characters[end])
  }

  private mutating func keyword(_ word: String) -> Bool {
    skipBlanks()
    guard isAt(word) else { return false }
    index += word.unicodeScalars.count
    return true
  }

  private func problem(at place: Int, _ sentence: String, permitted: [String] = []) -> QueryProblem {
    QueryProblem(column: place + 1, sentence, permitted: permitted)
  }
}

extension String {
  /// True if the text has something that search looks at (`SearchWords` in Catalog).
  var hasLetters: Bool {
    unicodeScalars.contains { scalar in
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
        .letterNumber, .otherNumber, .otherSymbol, .spacingMark:
        true
      default: false
      }
    }
  }
}
