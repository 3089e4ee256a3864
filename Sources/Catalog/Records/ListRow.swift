import Music

/// A row of a query, by the numbers of its columns, whatever the engine: what decodes takes and songs is there once.
protocol ListRow {
  /// Nil for NULL.
  func integer(_ column: Int32) -> Int64?
  /// Nil for NULL.
  func number(_ column: Int32) -> Double?
  /// The bytes of a text, until the next row; nil for NULL.
  func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8>?
  /// Nil for what is no identifier.
  func ulid(_ column: Int32) -> ULID?
  func isNull(_ column: Int32) -> Bool
  /// The name of the column.
  func name(_ column: Int32) -> String?
}

extension ListRow {
  /// Nil for NULL; bytes that are no UTF-8 are replaced.
  func text(_ column: Int32) -> String? { bytes(column).map { String(decoding: $0, as: UTF8.self) } }

  subscript<Number: FixedWidthInteger>(_ column: Int32) -> Number {
    get throws {
      guard let number = integer(column).flatMap({ Number(exactly: $0) }) else { return try fail(column) }
      return number
    }
  }

  func position(_ column: Int32) throws -> SamplePosition? {
    guard let samples = integer(column) else { return nil }
    return SamplePosition.permitted.contains(samples) ? SamplePosition(samples) : try fail(column)
  }

  func identifier<Entity>(_ column: Int32) throws -> Identifier<Entity> {
    guard let ulid = ulid(column) else { return try fail(column) }
    return Identifier(ulid)
  }

  /// - Throws: `CatalogError.unreadable`, with the name of the column.
  func fail<Value>(_ column: Int32) throws -> Value {
    throw CatalogError.unreadable(name(column) ?? "a column")
  }
}
