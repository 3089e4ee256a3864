/// What may stand before a colon in the queries of one kind of list.
protocol QueryField: Sendable {
  associatedtype Term: QueryTerm
  /// Every field by its name.
  static var known: [String: Self] { get }
  /// Names that people type for them as well.
  static var others: [String: String] { get }
  /// - Throws: `QueryProblem` at the value.
  func condition(_ value: QueryValue, now: WallTime) throws(QueryProblem) -> Condition<Term>
}

extension QueryField {
  static var names: [String] { known.keys.sorted() }

  init?(_ name: String) {
    let name = name.lowercased()
    guard let field = Self.known[Self.others[name] ?? name] else { return nil }
    self = field
  }

  /// The field whose name is most like `text`; nil if none is.
  static func nearest(to text: String) -> String? {
    let text = Array(text.lowercased())
    guard text.count <= 16 else { return nil }
    let near = (names + others.keys.sorted()).map { (name: $0, distance: Spelling.distance(text, Array($0))) }
      .min { $0.distance < $1.distance }
    // Up to two slips, and never most of the word.
    guard let near, near.distance <= 2, near.distance * 2 <= text.count else { return nil }
    return others[near.name] ?? near.name
  }
}
