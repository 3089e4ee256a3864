import GRDB
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
  }

  private let query: TakeQuery
  private let kind: ListCursor.Kind
  private let cursor: ListCursor

  /// - Throws: `CatalogError.invalidCursor`, `.limitOutOfRange`, `.unsupportedSort`, `.value`.
  init(_ query: TakeQuery) throws(CatalogError) {
    guard TakeListing.limits.contains(query.limit) else { throw .limitOutOfRange(query.limit) }
    if let rating = query.minimumRating, !TakeAnnotations.ratings.contains(rating) {
      throw .value(ValueProblem("rating", "\(rating)", "1 to 5"))
    }
    self.query = query
    kind = try TakeListing.kind(of: query)
    cursor = try ListCursor.read(query.cursor, of: kind)
  }

  /// True if an index exists for the filters.
  private static func hasIndex(_ query: TakeQuery) -> Bool {
    let hasOthers =
      query.session != nil || query.participant != nil || query.minimumRating != nil || query.isFavourite != nil
      || query.tag != nil || query.text != nil
    guard !hasOthers else { return false }
    return query.shelf == .kept || (query.room == nil && query.song == nil && query.state == nil)
  }

  private static func kind(of query: TakeQuery) throws(CatalogError) -> ListCursor.Kind {
    let isIndexed = hasIndex(query)
    switch query.sort {
    case .newest: return isIndexed ? .newestTakes : .newestFoundTakes
    case .oldest: return isIndexed ? .oldestTakes : .oldestFoundTakes
    case .bestRated, .longest, .shortest:
      let hasSimpleFilters =
        isIndexed && query.shelf == .kept && query.state == nil && (query.room == nil || query.song == nil)
        && query.startedAfter == nil && query.startedBefore == nil
      guard hasSimpleFilters else { throw .unsupportedSort(query.sort) }
      switch query.sort {
      case .bestRated: return .bestRatedTakes
      case .longest: return .longestTakes
      default: return .shortestTakes
      }
    }
  }

  /// Nil if a filter value is unknown to the index, so that nothing can match.
  func statement(in database: Database) throws -> Statement? {
    switch kind {
    case .newestFoundTakes, .oldestFoundTakes: try searching(database)
    default: walking()
    }
  }

  // MARK: Along an index

  private func walking() -> Statement {
    var conditions = [query.shelf == .kept ? "takes.deleted_at IS NULL" : "takes.deleted_at IS NOT NULL"]
    var values: [any DatabaseValueConvertible] = []
    if let room = query.room {
      conditions.append("takes.room = (SELECT key FROM rooms WHERE name = ?)")
      values.append(RoomRecord.key(room))
    }
    if let song = query.song {
      conditions.append("takes.song = (SELECT key FROM songs WHERE id = ?)")
      values.append(song)
    }
    if let state = query.state {
      conditions.append("takes.state = ?")
      values.append(state)
    }
    let column =
      switch kind {
      case .bestRatedTakes: "rating"
      case .longestTakes, .shortestTakes: "duration"
      default: "started_at"
      }
    let bound = bound
    let order = kind.isDescending ? "DESC" : "ASC"
    conditions.append("(takes.\(column), takes.id) \(kind.isDescending ? "<" : ">") (?, ?)")
    values += [bound.number, TakeID(bound.id)] as [any DatabaseValueConvertible]
    if kind == .newestTakes, let after = query.startedAfter {
      conditions.append("takes.started_at >= ?")
      values.append(after)
    } else if kind == .oldestTakes, let before = query.startedBefore {
      conditions.append("takes.started_at < ?")
      values.append(before)
    }
    // One more than requested, which reveals whether there is a next page.
    values.append(query.limit + 1)
    return Statement(
      sql: """
        \(TakeReader.select)
        WHERE \(conditions.joined(separator: " AND "))
        ORDER BY takes.\(column) \(order), takes.id \(order)
        LIMIT ?
        """, arguments: StatementArguments(values))
  }

  /// The cursor, or the start of the time range if that is further on. The first page has a bound as well, so that
  /// all pages share one form of statement and one query plan.
  private var bound: ListCursor {
    var bound = cursor
    if kind == .newestTakes, let before = query.startedBefore {
      // Before the lowest identifier of that time.
      let limit = ListCursor(kind, number: before.milliseconds)
      if (limit.number, limit.id) < (bound.number, bound.id) { bound = limit }
    } else if kind == .oldestTakes, let after = query.startedAfter {
      let limit = ListCursor(kind, number: after.milliseconds)
      if (limit.number, limit.id) > (bound.number, bound.id) { bound = limit }
    }
    return bound
  }

  // MARK: Through the full-text index

  private func searching(_ database: Database) throws -> Statement? {
    guard let match = try match(in: database) else { return nil }
    let table = (query.shelf == .kept ? SearchRecord.Table.takes : .trash).rawValue
    var lowest = Int64.min
    var highest = Int64.max
    if let after = query.startedAfter { lowest = TakePlace.first(of: after) }
    if let before = query.startedBefore { highest = TakePlace.first(of: before) - 1 }
    if query.cursor != nil {
      if kind.isDescending {
        highest = min(highest, cursor.number - 1)
      } else {
        lowest = max(lowest, cursor.number + 1)
      }
    }
    guard lowest <= highest else { return nil }
    return Statement(
      sql: """
        \(TakeReader.columns)
        FROM \(table)
        CROSS JOIN takes ON takes.place = \(table).rowid
        \(TakeReader.joins)
        WHERE \(table) MATCH ? AND \(table).rowid >= ? AND \(table).rowid <= ?
        ORDER BY \(table).rowid \(kind.isDescending ? "DESC" : "ASC")
        LIMIT ?
        """, arguments: [match.text, lowest, highest, query.limit + 1])
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
    return match.isEmpty ? nil : match
  }

  // MARK: The page

  func fetch(_ database: Database) throws -> Page<Take> {
    guard let statement = try statement(in: database) else { return Page(items: [], next: nil) }
    var takes = try TakeReader.fetchPlaced(database, sql: statement.sql, arguments: statement.arguments)
    guard takes.count > query.limit else { return Page(items: takes.map(\.take), next: nil) }
    takes.removeLast(takes.count - query.limit)
    return Page(items: takes.map(\.take), next: takes.last.map { next(after: $0.take, place: $0.place).text })
  }

  private func next(after take: Take, place: Int64) -> ListCursor {
    switch kind {
    case .newestFoundTakes, .oldestFoundTakes: ListCursor(kind, number: place)
    case .bestRatedTakes: ListCursor(kind, number: Int64(take.annotations.rating ?? 0), id: take.id.ulid)
    case .longestTakes, .shortestTakes: ListCursor(kind, number: take.length?.samples ?? 0, id: take.id.ulid)
    default: ListCursor(kind, number: take.startedAt.milliseconds, id: take.id.ulid)
    }
  }
}
