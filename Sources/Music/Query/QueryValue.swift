/// The value after a field's colon.
struct QueryValue {
  /// The field as it was written.
  var field: String
  var text: String
  var isQuoted: Bool
  /// True for `text*`.
  var isBeginning = false
  /// The column of the value.
  var column: Int

  init(field: String, text: String, isQuoted: Bool, column: Int) {
    self.field = field
    self.text = text
    self.isQuoted = isQuoted
    self.column = column
  }

  var name: NamePattern { NamePattern(text, isBeginning: isBeginning) }

  /// Words of a text, or a phrase in it.
  func text<Term>(_ word: (String) -> Term, phrase: (String) -> Term) throws(QueryProblem) -> Term {
    guard text.hasLetters else { throw problem("words with letters or digits") }
    guard !isQuoted || !isBeginning else { throw problem("a phrase without *, or one word without quotes") }
    return isQuoted ? phrase(text) : word(text + (isBeginning ? "*" : ""))
  }

  func count() throws(QueryProblem) -> ClosedRange<Int> {
    try range(in: 0...TakeTerm.greatestCount, "a whole number, or a range such as 1.., ..3 or 2..4") {
      QueryValue.whole($0)
    }
  }

  /// Only names and texts have beginnings.
  func withoutBeginning() throws(QueryProblem) -> QueryValue {
    guard !isBeginning else { throw problem("a value without *, which is for names") }
    return self
  }

  /// An identifier or the beginning of one, as identifiers are written, whatever the case and the letters that stand for
  /// digits.
  func identifier(_ kind: String) throws(QueryProblem) -> String {
    guard text.count >= TakeReference.leastCharacters, let range = TakeID.range(beginningWith: text) else {
      throw problem("the id of a \(kind), or its first \(TakeReference.leastCharacters) or more characters")
    }
    return String(range.lowerBound.description.prefix(text.count))
  }

  var isNone: Bool { !isQuoted && !isBeginning && text.lowercased() == "none" }

  func problem(_ expected: String, permitted: [String] = []) -> QueryProblem {
    QueryProblem(
      column: column, "\"\(text.shortened(to: 64))\" is no value of \(field); it must be \(expected)",
      permitted: permitted)
  }

  // MARK: Ranges

  /// The two sides of `..`, each nil if it is open; nil if the value is no range.
  private var sides: (lower: String?, upper: String?)? {
    guard let dots = text.firstRange(of: "..") else { return nil }
    let (lower, upper) = (text[..<dots.lowerBound], text[dots.upperBound...])
    return (lower.isEmpty ? nil : String(lower), upper.isEmpty ? nil : String(upper))
  }

  func range<Number: Comparable>(
    in all: ClosedRange<Number>, _ expected: String, _ number: (String) -> Number?
  ) throws(QueryProblem) -> ClosedRange<Number> {
    func read(_ text: String) throws(QueryProblem) -> Number {
      guard let value = number(text), all.contains(value) else { throw problem(expected) }
      return value
    }
    guard let sides else {
      let value = try read(text)
      return value...value
    }
    guard sides.lower != nil || sides.upper != nil else { throw problem(expected) }
    let lower = try sides.lower.map(read) ?? all.lowerBound
    let upper = try sides.upper.map(read) ?? all.upperBound
    guard lower <= upper else { throw problem("a range from the smaller to the greater") }
    return lower...upper
  }

  /// Digits alone: a sign would be one of a range's mistakes.
  static func whole(_ text: String) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }

  // MARK: Lengths

  func durations() throws(QueryProblem) -> ClosedRange<Int64> {
    let expected = "a length such as 90, 90s, 3:30, 3m or 1h, or a range such as 3m.., ..90s or 3:00..5:00"
    let range = try range(in: 0...TakeTerm.greatestDuration, expected, QueryValue.milliseconds)
    // 3:30 alone is every length of that second.
    return sides == nil ? range.lowerBound...min(range.lowerBound &+ 999, TakeTerm.greatestDuration) : range
  }

  /// `90`, `90.5`, `90s`, `3m`, `1h`, `3:30` or `1:02:03.5` in milliseconds.
  private static func milliseconds(_ text: String) -> Int64? {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600]
    var body = Substring(text.lowercased())
    var parts = body.split(separator: ":", omittingEmptySubsequences: false)
    var factor: Int64 = 1
    if let last = body.last, let unit = units[last] {
      guard parts.count == 1 else { return nil }
      body.removeLast()
      parts = [body]
      factor = unit
    }
    guard (1...3).contains(parts.count), let last = parts.popLast() else { return nil }
    let pieces = last.split(separator: ".", omittingEmptySubsequences: false)
    guard pieces.count <= 2, let seconds = number(pieces.first) else { return nil }
    var fraction: Int64 = 0
    if pieces.count == 2 {
      guard let digits = pieces.last, (1...3).contains(digits.count), let value = number(digits) else { return nil }
      fraction = digits.count == 1 ? value &* 100 : digits.count == 2 ? value &* 10 : value
    }
    var whole: Int64 = 0
    for part in parts {
      guard let value = number(part) else { return nil }
      whole = whole &* 60 &+ value
    }
    guard parts.isEmpty || seconds < 60 else { return nil }
    whole = (parts.isEmpty ? 0 : whole &* 60) &+ seconds
    return (whole &* 1_000 &+ fraction) &* factor
  }

  /// Up to eight digits, so that nothing above can overflow.
  private static func number(_ text: Substring?) -> Int64? {
    guard let text, (1...8).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int64(text)
  }

  // MARK: Dates

  /// `2026-11`, or `2026-10..2026-11` with both months.
  func dates(now: WallTime) throws(QueryProblem) -> TakeCondition {
    guard let sides else {
      let time = try QueryTime(text, now: now, in: self)
      guard let end = time.end else {
        throw problem("a day, a month, a year or a range; for a moment use after: or before:")
      }
      return .every([.term(.after(time.start)), .term(.before(end))])
    }
    var parts: [TakeCondition] = []
    if let lower = sides.lower { parts.append(.term(.after(try QueryTime(lower, now: now, in: self).start))) }
    if let upper = sides.upper {
      let time = try QueryTime(upper, now: now, in: self)
      parts.append(.term(.before(time.end ?? time.start)))
    }
    guard !parts.isEmpty else { throw problem(QueryTime.expected) }
    return .every(parts)
  }
}

/// A moment or a period of UTC, as people write it.
struct QueryTime {
  var start: WallTime
  /// The end of a year, month or day; nil for a moment.
  var end: WallTime?

  static let expected =
    "a day, month or year (2026-11-21, 2026-11, 2026), a time (2026-11-21T20:15:00Z), today, yesterday, or a span "
    + "before now such as 12h, 7d or 2w"

  private static let day: Int64 = 86_400_000
  /// Those of days, and of moments, which are clamped to what a time can be.
  private static let years = (days: 1970...2261, moments: 1970...2262)

  /// - Throws: `QueryProblem` at the column of `value`.
  init(_ text: String, now: WallTime, in value: QueryValue) throws(QueryProblem) {
    let text = text.lowercased()
    guard let time = QueryTime.relative(text, now) ?? QueryTime.civil(text) ?? QueryTime.moment(text) else {
      throw value.problem(QueryTime.expected)
    }
    self = time
  }

  private init(_ start: WallTime, end: WallTime? = nil) {
    // In milliseconds, as the index has them and the canonical text says them; no take is older than 1970.
    self.start = WallTime(milliseconds: max(0, start.milliseconds))
    self.end = end
  }

  private static func relative(_ text: String, _ now: WallTime) -> QueryTime? {
    let midnight = WallTime(now.date + "T00:00:00Z") ?? now
    func before(_ time: WallTime, _ milliseconds: Int64) -> WallTime {
      WallTime(milliseconds: time.milliseconds &- milliseconds)
    }
    switch text {
    case "today": return QueryTime(midnight, end: before(midnight, -day))
    case "yesterday": return QueryTime(before(midnight, day), end: midnight)
    default: break
    }
    let units: [Character: Int64] = ["h": day / 24, "d": day, "w": day * 7]
    guard let last = text.last, let unit = units[last], (2...5).contains(text.utf8.count),
      text.dropLast().utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int64(text.dropLast())
    else { return nil }
    return QueryTime(before(now, count &* unit))
  }

  /// A year, a month or a day.
  private static func civil(_ text: String) -> QueryTime? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let widths = [4, 2, 2]
    guard (1...3).contains(parts.count), zip(parts, widths).allSatisfy({ $0.utf8.count == $1 }),
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let year = Int(parts[0]), years.days.contains(year)
    else { return nil }
    func midnight(_ year: Int, _ month: Int) -> WallTime? {
      WallTime("\(year)-\(month < 10 ? "0" : "")\(month)-01T00:00:00Z")
    }
    switch parts.count {
    case 1: return midnight(year, 1).map { QueryTime($0, end: midnight(year &+ 1, 1)) }
    case 2:
      guard let month = Int(parts[1]), let start = midnight(year, month) else { return nil }
      return QueryTime(start, end: month == 12 ? midnight(year &+ 1, 1) : midnight(year, month &+ 1))
    default:
      guard let start = WallTime(text + "T00:00:00Z") else { return nil }
      return QueryTime(start, end: WallTime(milliseconds: start.milliseconds &+ day))
    }
  }

  /// RFC 3339; without an offset it is UTC, and seconds may be missing.
  private static func moment(_ text: String) -> QueryTime? {
    guard let year = Int(text.prefix(4)), years.moments.contains(year),
      let time = WallTime(text) ?? WallTime(text + "Z") ?? WallTime(text + ":00Z")
    else { return nil }
    return QueryTime(time)
  }
}
