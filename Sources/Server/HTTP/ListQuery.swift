import Hummingbird
import Music
import Recording
import Signaling

/// Reads the parameters of a list; problems name them.
struct ListQuery {
  private let parameters: [(name: String, value: String)]

  /// Items on a page: default and maximum.
  static let limits = (usual: 50, range: 1...200)
  /// Parameters of every list.
  private static let paging = ["limit", "cursor"]

  /// - Throws: `Problem` for a parameter not in `permitted`.
  init(_ request: Request, permitted: [String]) throws(Problem) {
    parameters = try request.checkQuery(only: permitted, ListQuery.paging)
  }

  /// Reads some parameters of a request that permits any.
  init(anyOf request: Request) {
    parameters = request.parameters
  }

  private func value(of name: String) -> String? { parameters.first { $0.name == name }?.value }

  var cursor: String? { value(of: "cursor") }

  var limit: Int {
    get throws(Problem) { try integer("limit", in: ListQuery.limits.range) ?? ListQuery.limits.usual }
  }

  func text(_ name: String) throws(Problem) -> String? {
    guard let text = value(of: name) else { return nil }
    guard !text.trimmed.isEmpty else {
      throw Problem.invalid(name, value: text, "\"\(name)\" is empty; omit it, or give words to search for")
    }
    return text
  }

  func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    guard let text = value(of: name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw Problem.invalid(
        name, value: text, "\"\(name)\" must be a whole number from \(range.lowerBound) to \(range.upperBound)",
        permitted: ["\(range.lowerBound)…\(range.upperBound)"])
    }
    return number
  }

  func bool(_ name: String) throws(Problem) -> Bool? {
    switch value(of: name) {
    case nil: return nil
    case "true": return true
    case "false": return false
    case let other?:
      throw Problem.invalid(
        name, value: other, "\"\(name)\" must be true or false", permitted: ["true", "false"])
    }
  }

  /// A word of a closed set.
  func word<Word: RawRepresentable & CaseIterable>(_ name: String) throws(Problem) -> Word?
  where Word.RawValue == String {
    guard let text = value(of: name) else { return nil }
    guard let word = Word(rawValue: text) else {
      throw Problem.invalid(
        name, value: text, "there is no \(name) \"\(text.prefix(64))\"", permitted: Word.allCases.map(\.rawValue))
    }
    return word
  }

  func identifier<Entity>(_ name: String) throws(Problem) -> Identifier<Entity>? {
    guard let text = value(of: name) else { return nil }
    guard let identifier = Identifier<Entity>(text) else {
      throw Problem.invalid(name, value: text, "\"\(name)\" must be the id of a \(name), 26 characters")
    }
    return identifier
  }

  func room() throws(Problem) -> RoomName? {
    guard let text = value(of: "room") else { return nil }
    do throws(NameError) {
      return try RoomName(checking: text)
    } catch {
      throw Problem.invalid("room", value: text, error.description)
    }
  }

  /// The condition of a query (docs/query.md).
  func condition(_ name: String) throws(Problem) -> TakeCondition? {
    guard let text = try text(name) else { return nil }
    return try TakeCondition(reading: text, as: name)
  }

  /// The query of a list of the song book.
  func book(_ book: BookKind, for principal: Principal) throws(Problem) -> BookQuery {
    BookQuery(
      condition: try text("q").map { text throws(Problem) in
        do throws(QueryProblem) {
          return try BookCondition(reading: text, of: book)
        } catch {
          throw Problem(error, in: text, of: "q")
        }
      }, room: principal.room, limit: try limit, cursor: cursor)
  }

  /// Words between commas, each one of `known`.
  func words(_ name: String, among known: [String]) throws(Problem) -> [String]? {
    guard let text = value(of: name) else { return nil }
    let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    for word in words where !known.contains(word) {
      throw Problem.invalid(
        name, value: text,
        "\"\(name)\" has \"\(word.prefix(64))\"; it is a list with commas of \(known.joined(separator: ", "))",
        permitted: known)
    }
    return words
  }

  /// A time, or a date, which means its beginning.
  func time(_ name: String) throws(Problem) -> WallTime? {
    guard let text = value(of: name) else { return nil }
    // An unescaped plus of an offset arrives as a blank.
    guard let time = WallTime(text) ?? WallTime(text + "T00:00:00Z") ?? WallTime(text.replacing(" ", with: "+")) else {
      throw Problem.invalid(
        name, value: text, "\"\(name)\" must be a time of RFC 3339, or a day",
        permitted: ["2026-11-21T02:56:09Z", "2026-11-21"])
    }
    return time
  }
}

extension TakeCondition {
  /// Reads the query in the parameter or member `field`.
  init(reading text: String, as field: String) throws(Problem) {
    do throws(QueryProblem) {
      try self.init(reading: text, now: MonotonicClock.wall)
    } catch {
      throw Problem(error, in: text, of: field)
    }
  }
}

extension Problem {
  /// A query, in the parameter or member `field`, that cannot be read.
  fileprivate init(_ problem: QueryProblem, in text: String, of field: String) {
    self.init(
      .badRequest, "invalid-field", "A value is not allowed", problem.description, field: field, value: text,
      permitted: problem.permitted, members: ["column": .integer(Int64(problem.column))])
  }
}
