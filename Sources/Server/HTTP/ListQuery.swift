import Hummingbird
import Music

/// Reads the parameters of a list; problems name them.
struct ListQuery {
  let request: Request

  /// Items on a page: default and maximum.
  static let limits = (usual: 50, range: 1...200)

  /// - Throws: `Problem` for a parameter not in `permitted`.
  init(_ request: Request, permitted: [String]) throws(Problem) {
    try request.checkQuery(only: permitted + ["limit", "cursor"])
    self.request = request
  }

  var cursor: String? { request.query("cursor") }

  var limit: Int {
    get throws(Problem) { try integer("limit", in: ListQuery.limits.range) ?? ListQuery.limits.usual }
  }

  func text(_ name: String) throws(Problem) -> String? {
    guard let text = request.query(name) else { return nil }
    guard !text.trimmed.isEmpty else {
      throw Problem.invalid(name, value: text, "\"\(name)\" is empty; omit it, or give words to search for")
    }
    return text
  }

  func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    guard let text = request.query(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw Problem.invalid(
        name, value: text, "\"\(name)\" must be a whole number from \(range.lowerBound) to \(range.upperBound)",
        permitted: ["\(range.lowerBound)…\(range.upperBound)"])
    }
    return number
  }

  func bool(_ name: String) throws(Problem) -> Bool? {
    switch request.query(name) {
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
    guard let text = request.query(name) else { return nil }
    guard let word = Word(rawValue: text) else {
      throw Problem.invalid(
        name, value: text, "there is no \(name) \"\(text.prefix(64))\"", permitted: Word.allCases.map(\.rawValue))
    }
    return word
  }

  func identifier<Entity>(_ name: String) throws(Problem) -> Identifier<Entity>? {
    guard let text = request.query(name) else { return nil }
    guard let identifier = Identifier<Entity>(text) else {
      throw Problem.invalid(name, value: text, "\"\(name)\" must be the id of a \(name), 26 characters")
    }
    return identifier
  }

  func room() throws(Problem) -> RoomName? {
    guard let text = request.query("room") else { return nil }
    do throws(NameError) {
      return try RoomName(checking: text)
    } catch {
      throw Problem.invalid("room", value: text, error.description)
    }
  }

  /// A time, or a date, which means its beginning.
  func time(_ name: String) throws(Problem) -> WallTime? {
    guard let text = request.query(name) else { return nil }
    // An unescaped plus of an offset arrives as a blank.
    guard let time = WallTime(text) ?? WallTime(text + "T00:00:00Z") ?? WallTime(text.replacing(" ", with: "+")) else {
      throw Problem.invalid(
        name, value: text, "\"\(name)\" must be a time of RFC 3339, or a day",
        permitted: ["2026-11-21T02:56:09Z", "2026-11-21"])
    }
    return time
  }
}
