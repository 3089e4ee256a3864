import GRDB
import Machines
import Music

/// The query behind a list of takes.
///
/// Every list follows one index in order and stops when the page is full. Lists by room, song and state have their
/// own indexes. Every other filter or combination is a word of the full-text index, whose rows are sorted by time.
struct TakeListing {
  /// Permitted numbers of items per page.
  static let limits = 1...200

  /// A prepared statement with its arguments.
  struct Statement {
    var sql: String
    var arguments: StatementArguments
    /// False for SQL made for one query, which is not kept.
    var isRecurring = true
  }

  /// Most words of a search that is read on a connection's thread: what SQLite does to intersect their lists it cannot be
  /// stopped at. Four took 11 ms in 200,000 takes, a pattern of many names and its opposite 56 ms.
  private static let mostPromptWords = 4

  let query: TakeQuery
  /// True to give up what may take long.
  private let isPrompt: Bool
  let kind: ListCursor.Kind
  let cursor: ListCursor

  /// - Throws: `CatalogError.invalidCursor`, `.limitOutOfRange`, `.unsupportedSort`, `.value`.
  init(_ query: TakeQuery, isPrompt: Bool = false) throws(CatalogError) {
    guard TakeListing.limits.contains(query.limit) else { throw .limitOutOfRange(query.limit) }
    if let rating = query.minimumRating, !TakeAnnotations.ratings.contains(rating) {
      throw .value(ValueProblem("rating", "\(rating)", "1 to 5"))
    }
    (self.query, self.isPrompt) = (query, isPrompt)
    kind = try TakeListing.kind(of: query)
    cursor = try ListCursor.read(query.cursor, of: kind)
  }

  /// True if an index exists for the filters.
  private static func hasIndex(_ query: TakeQuery) -> Bool {
    // One after the other, for the compiler: all in one expression took it a second.
    guard query.session == nil, query.participant == nil, query.minimumRating == nil, query.isFavourite == nil,
      query.tag == nil, query.text == nil, query.condition == nil
    else { return false }
    return query.shelf == .kept || (query.room == nil && query.song == nil && query.state == nil)
  }

  private static func kind(of query: TakeQuery) throws(CatalogError) -> ListCursor.Kind {
    let isIndexed = hasIndex(query)
    switch query.sort {
    case .newest: return isIndexed ? .newestTakes : .newestFoundTakes
    case .oldest: return isIndexed ? .oldestTakes : .oldestFoundTakes
    case .bestRated, .longest, .shortest:
      guard isIndexed, query.shelf == .kept, query.state == nil, query.room == nil || query.song == nil,
        query.startedAfter == nil, query.startedBefore == nil
      else { throw .unsupportedSort(query.sort) }
      switch query.sort {
      case .bestRated: return .bestRatedTakes
      case .longest: return .longestTakes
      default: return .shortestTakes
      }
    }
  }

  /// Nil if a filter value is unknown to the index, so that nothing can match.
  func statement(in database: Database, columns: String = TakeReader.columns) throws -> Statement? {
    isAlongIndex ? walking(columns) : try searching(database, columns)
  }

  /// True for a list that one statement reads; a search looks words up before.
  var isAlongIndex: Bool { kind != .newestFoundTakes && kind != .oldestFoundTakes }

  // MARK: Through the full-text index

  private func searching(_ database: Database, _ columns: String) throws -> Statement? {
    guard var match = try match(in: database) else { return nil }
    let searched = query.shelf == .kept ? SearchRecord.Table.takes : .trash
    var remainder: ConditionPlan.Rows?
    if let condition = query.condition {
      let plan = try ConditionPlanner(database: database, table: searched).plan(condition)
      guard let parts = plan.parts(in: searched) else { return nil }
      for words in parts.words { match.add(expression: words) }
      remainder = parts.rows
    }
    if match.isEmpty { match.add(expression: ConditionPlan.everything) }
    guard !isPrompt || match.wordCount <= TakeListing.mostPromptWords else { throw CancellationError() }
    let table = searched.rawValue
    guard let places else { return nil }
    return Statement(
      sql: """
        \(columns)
        FROM \(table)
        CROSS JOIN takes ON takes.place = \(table).rowid
        \(TakeReader.joins)
        WHERE \(table) MATCH ? AND \(table).rowid >= ? AND \(table).rowid <= ?\(remainder.map { " AND \($0.sql)" } ?? "")
        ORDER BY \(table).rowid \(kind.isDescending ? "DESC" : "ASC")
        LIMIT ?
        """,
      arguments: StatementArguments(
        [match.text, places.lowerBound, places.upperBound] as [any DatabaseValueConvertible] + (remainder?.values ?? [])
          + [query.limit + 1]),
      isRecurring: remainder == nil)
  }

  /// The places of the takes that the page may have, by time and cursor; nil if there can be none.
  var places: ClosedRange<Int64>? {
    var lowest = Int64.min
    var highest = Int64.max
    if let after = query.startedAfter { lowest = TakePlace.first(of: after) }
    if let before = query.startedBefore { highest = TakePlace.first(of: before) - 1 }
    for case .term(let term) in query.condition?.conjuncts ?? [] {
      switch term {
      case .after(let time): lowest = max(lowest, TakePlace.first(of: time))
      case .before(let time): highest = min(highest, TakePlace.first(of: time) - 1)
      default: break
      }
    }
    if query.cursor != nil {
      if kind.isDescending {
        highest = min(highest, cursor.number - 1)
      } else {
        lowest = max(lowest, cursor.number + 1)
      }
    }
    return lowest <= highest ? lowest...highest : nil
  }

  private func match(in database: Database) throws -> MatchExpression? {
    var match = MatchExpression()
    if let room = query.room {
      guard let key = try RoomRecord.find(room, in: database) else { return nil }
      match.add(facet: SearchFacet.room(key))
    }
    if let song = query.song {
      guard let key = try SongRecord.find(song, in: database)?.key else { return nil }
      match.add(facet: SearchFacet.song(key))
    }
    if let session = query.session {
      guard let key = try SessionRecord.key(of: session, in: database) else { return nil }
      match.add(facet: SearchFacet.session(key))
    }
    if let participant = query.participant {
      guard let key = try PersonRecord.key(of: participant, in: database) else { return nil }
      match.add(facet: SearchFacet.person(key))
    }
    if let tag = query.tag {
      guard let key = try TagRecord.find(tag, in: database) else { return nil }
      match.add(facet: SearchFacet.tag(key))
    }
    if let state = query.state { match.add(facet: SearchFacet.state(state)) }
    if let rating = query.minimumRating { match.add(facet: SearchFacet.rating(atLeast: rating)) }
    if let isFavourite = query.isFavourite { match.add(facet: SearchFacet.favourite(isFavourite)) }
    if let text = query.text { guard try match.add(text: text) else { return nil } }
    return match
  }

  // MARK: The page

  func fetch(_ database: Database) throws -> Page<Take> {
    var reader = TakeReader()
    let (takes, next) = try rows(database, TakeReader.columns) { try reader.take(from: $0) }
    return Page(items: takes, next: next)
  }

  /// The same page as text, written straight from the rows.
  func text(_ database: Database) throws -> PageText {
    let writer = TakeText()
    // Most takes have less than half a kibibyte.
    var json = JSONWriter(capacity: (query.limit + 1) * 512)
    var isFirst = true
    json.literal("[")
    let (_, next) = try rows(database, TakeText.columns) { row in
      if !isFirst { json.literal(",") }
      isFirst = false
      try writer.write(row, to: &json)
    }
    json.literal("]")
    return PageText(items: json.bytes, next: next)
  }

  /// What `body` makes of the rows of the page, and the cursor of the next.
  private func rows<Value>(
    _ database: Database, _ columns: String, _ body: (PlainRow) throws -> Value
  ) throws -> ([Value], String?) {
    guard let statement = try statement(in: database, columns: columns) else { return ([], nil) }
    var cut = Cut()
    let values = try PlainRow.all(
      database, sql: statement.sql, arguments: statement.arguments, isRecurring: statement.isRecurring
    ) { try keep($0, of: &cut, body) }
    return (values.compactMap(\.self), next(after: cut))
  }

  /// How far the rows of a page have come.
  struct Cut {
    fileprivate var count = 0
    fileprivate var last: ListCursor?
  }

  /// What `body` makes of the next row; nil for the row after the page, which only shows that there is another.
  func keep<Row: ListRow, Value>(_ row: Row, of cut: inout Cut, _ body: (Row) throws -> Value) throws -> Value? {
    cut.count += 1
    guard cut.count <= query.limit else { return nil }
    if cut.count == query.limit { cut.last = try cursor(at: row) }
    return try body(row)
  }

  /// The cursor of the next page; nil on the last.
  func next(after cut: Cut) -> String? { cut.count > query.limit ? cut.last?.text : nil }

  /// The place of a row in the list.
  private func cursor(at row: some ListRow) throws -> ListCursor {
    switch kind {
    case .newestFoundTakes, .oldestFoundTakes: return ListCursor(kind, number: row.integer(20) ?? 0)
    default: break
    }
    let column: Int32 =
      switch kind {
      case .bestRatedTakes: 13
      case .longestTakes, .shortestTakes: 9
      default: 7
      }
    return ListCursor(kind, number: row.integer(column) ?? 0, id: (try row.identifier(0) as TakeID).ulid)
  }
}
