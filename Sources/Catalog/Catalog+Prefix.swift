import GRDB
import Music

extension SQLiteCatalog {
  /// Takes whose identifiers begin with `prefix` (in any case), the newest first, `limit` of them at most; none where
  /// no identifier can begin so.
  package func takes(beginningWith prefix: String, limit: Int = 5) async throws -> [Take] {
    guard let range = TakeID.range(beginningWith: prefix) else { return [] }
    return try await read { database in
      try TakeReader.fetch(
        database, sql: "\(TakeReader.select) WHERE takes.id BETWEEN ? AND ? ORDER BY takes.id DESC LIMIT ?",
        arguments: [range.lowerBound, range.upperBound, limit])
    }
  }
}

extension Identifier {
  /// From the lowest to the highest identifier that begins with `prefix`, nil where none does.
  fileprivate static func range(beginningWith prefix: String) -> ClosedRange<Identifier>? {
    func filled(with digit: Character) -> Identifier? {
      Identifier(prefix + String(repeating: digit, count: max(0, textLength - prefix.count)))
    }
    guard let lowest = filled(with: "0"), let highest = filled(with: "Z") else { return nil }
    return lowest...highest
  }

  /// Characters of an identifier.
  private static var textLength: Int { 26 }
}
