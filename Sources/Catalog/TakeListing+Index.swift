import GRDB
import Music

/// Lists that follow an index.
extension TakeListing {
  func walking(_ columns: String) -> Statement {
    // Piece by piece, since every page has it made.
    var sql = columns
    sql.reserveCapacity(2_048)
    sql += "\nFROM takes\n"
    sql += TakeReader.joins
    sql += query.shelf == .kept ? "\nWHERE takes.deleted_at IS NULL" : "\nWHERE takes.deleted_at IS NOT NULL"
    var values: [any DatabaseValueConvertible] = []
    values.reserveCapacity(8)
    if let room = query.room {
      sql += " AND takes.room = (SELECT key FROM rooms WHERE name = ?)"
      values.append(RoomRecord.key(room))
    }
    if let song = query.song {
      sql += " AND takes.song = (SELECT key FROM songs WHERE id = ?)"
      values.append(song)
    }
    if let state = query.state {
      sql += " AND takes.state = ?"
      values.append(state)
    }
    let column = column
    let bound = bound
    sql += " AND (takes.\(column), takes.id) \(kind.isDescending ? "<" : ">") (?, ?)"
    values.append(bound.number)
    values.append(TakeID(bound.id))
    if kind == .newestTakes, let after = query.startedAfter {
      sql += " AND takes.started_at >= ?"
      values.append(after)
    } else if kind == .oldestTakes, let before = query.startedBefore {
      sql += " AND takes.started_at < ?"
      values.append(before)
    }
    let order = kind.isDescending ? "DESC" : "ASC"
    sql += "\nORDER BY takes.\(column) \(order), takes.id \(order)\nLIMIT ?"
    // One more than requested, which reveals whether there is a next page.
    values.append(query.limit + 1)
    return Statement(sql: sql, arguments: StatementArguments(values))
  }

  /// The column by which a list along an index is sorted.
  var column: String {
    switch kind {
    case .bestRatedTakes: "rating"
    case .longestTakes, .shortestTakes: "duration"
    default: "started_at"
    }
  }

  /// The cursor, or the start of the time range if that is further on. The first page has a bound as well, so that
  /// all pages share one form of statement and one query plan.
  var bound: ListCursor {
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
}
