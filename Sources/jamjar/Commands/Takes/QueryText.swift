import Music
import Recording

/// A query on the command line; docs/query.md has the grammar.
enum QueryText {
  /// Code points of the query shown before and after the place of an error.
  private static let shown = 48

  /// - Throws: `CommandFailure` with the query and a caret below the place of the error.
  static func condition(_ text: String) throws(CommandFailure) -> TakeCondition {
    do throws(QueryProblem) {
      return try TakeCondition(reading: text, now: MonotonicClock.wall)
    } catch {
      throw failure(error, in: text)
    }
  }

  /// The same for songs or people.
  static func condition(_ text: String, of book: BookKind) throws(CommandFailure) -> BookCondition {
    do throws(QueryProblem) {
      return try BookCondition(reading: text, of: book)
    } catch {
      throw failure(error, in: text)
    }
  }

  private static func failure(_ problem: QueryProblem, in text: String) -> CommandFailure {
    CommandFailure(ExitCodes.usage, "\(problem)\n\(excerpt(text, column: problem.column))")
  }

  /// The part of the query around a column, and a line with a caret.
  static func excerpt(_ text: String, column: Int) -> String {
    let scalars = Array(text.unicodeScalars)
    let place = min(max(0, column - 1), scalars.count)
    let start = max(0, place - shown)
    let end = min(scalars.count, place + shown)
    func line(_ range: Range<Int>) -> String {
      var line = String.UnicodeScalarView()
      for scalar in scalars[range] { line.append(scalar.properties.isWhitespace ? " " : scalar) }
      return String(line).printable
    }
    let head = (start > 0 ? "…" : "") + line(start..<place)
    let tail = line(place..<end) + (end < scalars.count ? "…" : "")
    return "  \(head)\(tail)\n  \(String(repeating: " ", count: head.columns))^"
  }
}
