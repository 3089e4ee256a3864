import Music
import Signaling

/// The takes that a body is about: `takes`, a list of ids, or `q`, a query (docs/query.md).
struct TakeChoice {
  private enum Choice {
    case ids([TakeID])
    case query(TakeCondition, text: String)
  }

  private let choice: Choice
  private let most: Int

  /// - Parameter most: the most takes per request.
  /// - Throws: `Problem`.
  init(_ fields: BodyFields, most: Int) throws(Problem) {
    self.most = most
    if let text = try fields.optionalString("q") {
      guard !fields.has("takes") else {
        throw Problem.invalid("q", value: text, "\"takes\" and \"q\" exclude each other; give one of them")
      }
      choice = .query(try TakeCondition(reading: text, as: "q"), text: text)
      return
    }
    let texts = try fields.optionalStrings("takes") ?? []
    guard (1...most).contains(texts.count) else {
      throw Problem.invalid(
        "takes", value: "\(texts.count) takes",
        "\"takes\" must be a list of 1 to \(most) ids; or give a query as \"q\"",
        permitted: ["1…\(most)"])
    }
    choice = .ids(
      try texts.map { text throws(Problem) in
        guard let id = TakeID(text) else {
          throw Problem.invalid("takes", value: text, "\"takes\" must hold ids of 26 characters")
        }
        return id
      })
  }

  /// The takes, newest first for a query, which finds only what `principal` may see.
  ///
  /// All are found before the first is changed: an edit may change what the query finds.
  func takes(in index: any TakeIndex, _ principal: Principal, shelf: TakeQuery.Shelf = .kept) async throws -> [TakeID] {
    switch choice {
    case .ids(let ids): return ids
    case .query(let condition, let text):
      var query = TakeQuery(room: principal.room, condition: condition, shelf: shelf, limit: 200)
      var found: [TakeID] = []
      repeat {
        let page = try await index.takes(query)
        found += page.items.map(\.id)
        query.cursor = page.next
      } while query.cursor != nil && found.count <= most
      guard found.count <= most else {
        throw Problem.invalid(
          "q", value: text, "more than \(most) takes match; narrow the query, for example by after: and before:",
          permitted: ["1…\(most)"])
      }
      return found
    }
  }
}
