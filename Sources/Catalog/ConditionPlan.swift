import GRDB
import Music

/// How the index finds the takes, songs or people of a condition.
///
/// Most of a condition is an expression over the words of the full-text index, whose lists SQLite intersects, unites and
/// subtracts. The rest is SQL that looks at each row found so far.
indirect enum ConditionPlan {
  /// SQL over `takes` (and `songs`, its song), `songs` or `participants`, and the values bound to it.
  struct Rows {
    var sql: String
    var values: [any DatabaseValueConvertible]

    init(_ sql: String, _ values: [any DatabaseValueConvertible] = []) {
      self.sql = sql
      self.values = values
    }

    /// In parentheses, between `word`s; nil of none.
    static func joined(_ parts: [Rows], by word: String) -> Rows? {
      parts.isEmpty
        ? nil : Rows("(\(parts.map(\.sql).joined(separator: " \(word) ")))", parts.flatMap(\.values))
    }
  }

  case never
  /// Exactly the rows of this expression of FTS5.
  case words(String)
  case rows(Rows)
  case all([ConditionPlan])
  case any([ConditionPlan])
  case not(ConditionPlan)

  /// The expression of every take: each has one of these words.
  static let everything = #"("_f0" OR "_f1")"#

  /// As few parts as possible: words with words.
  static func every(_ parts: [ConditionPlan]) -> ConditionPlan {
    var words: [String] = []
    var others: [ConditionPlan] = []
    for part in parts {
      switch part {
      case .never: return .never
      case .words(let expression): words.append(expression)
      default: others.append(part)
      }
    }
    if !words.isEmpty { others.insert(.words("(\(words.joined(separator: " AND ")))"), at: 0) }
    return others.count == 1 ? others[0] : .all(others)
  }

  static func some(_ parts: [ConditionPlan]) -> ConditionPlan {
    var words: [String] = []
    var others: [ConditionPlan] = []
    for part in parts {
      switch part {
      case .never: continue
      case .words(let expression): words.append(expression)
      default: others.append(part)
      }
    }
    if !words.isEmpty { others.insert(.words("(\(words.joined(separator: " OR ")))"), at: 0) }
    return others.isEmpty ? .never : others.count == 1 ? others[0] : .any(others)
  }

  static func none(of part: ConditionPlan) -> ConditionPlan {
    switch part {
    case .never: .words(everything)
    case .words(let expression): .words("(\(everything) NOT \(expression))")
    default: .not(part)
    }
  }

  /// The expressions for MATCH and the SQL for the rest, both of which have to hold; nil if nothing can match.
  func parts(in table: SearchRecord.Table) -> (words: [String], rows: Rows?)? {
    switch self {
    case .never: return nil
    case .words(let expression): return ([expression], nil)
    case .all(let parts):
      var words: [String] = []
      var rows: [Rows] = []
      for part in parts {
        guard let found = part.parts(in: table) else { return nil }
        words += found.words
        if let more = found.rows { rows.append(more) }
      }
      return (words, Rows.joined(rows, by: "AND"))
    case .rows, .any, .not: return ([], rows(in: table))
    }
  }

  /// Everything as SQL. Each expression of words becomes one list, made once for the whole page.
  private func rows(in table: SearchRecord.Table) -> Rows {
    switch self {
    case .never: Rows("0")
    case .words(let expression):
      Rows(
        "\(table.numbers) IN (SELECT rowid FROM \(table.rawValue) WHERE \(table.rawValue) MATCH ?)", [expression])
    case .rows(let rows): rows
    case .all(let parts): Rows.joined(parts.map { $0.rows(in: table) }, by: "AND") ?? Rows("1")
    case .any(let parts): Rows.joined(parts.map { $0.rows(in: table) }, by: "OR") ?? Rows("0")
    case .not(let part):
      {
        let rows = part.rows(in: table)
        return Rows("NOT \(rows.sql)", rows.values)
      }()
    }
  }
}
