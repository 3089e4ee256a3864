import Music

/// The place in a list of takes after which a page begins: the sort key of the item before.
///
/// Outside it is opaque text: 27 bytes as base64url, namely the list's kind (1), milliseconds since 1970 (8, big
/// endian), the ULID (16) and a check sum (2). The sum keeps no secret, as there is none: it turns a cut or retyped
/// cursor into an error instead of a wrong page.
struct TakeCursor: Hashable, Sendable {
  var startedAt: Int64
  var id: TakeID

  /// The place before the newest take that there can be.
  static let beginning = TakeCursor(startedAt: .max, id: TakeID(ULID(high: .max, low: .max)))

  /// Tells this list's cursors from those of others to come.
  private static let kind: UInt8 = 1
  private static let length = 27

  init(startedAt: Int64, id: TakeID) {
    self.startedAt = startedAt
    self.id = id
  }

  init(after take: Take) {
    self.init(startedAt: take.startedAt.milliseconds, id: take.id)
  }

  /// - Throws: `CatalogError.invalidCursor` for what no list gave out.
  init(_ text: String) throws(CatalogError) {
    // The length first, so that a megabyte of letters is not decoded for nothing.
    guard text.utf8.count == TakeCursor.length / 3 * 4, let bytes = Base64URL.decode(text),
      bytes.first == TakeCursor.kind
    else { throw .invalidCursor(text) }
    func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
    guard number(25..<27) == UInt64(TakeCursor.sum(of: bytes[..<25])) else { throw .invalidCursor(text) }
    self.init(
      startedAt: Int64(bitPattern: number(1..<9)), id: TakeID(ULID(high: number(9..<17), low: number(17..<25))))
  }

  var text: String {
    var bytes = [TakeCursor.kind]
    for word in [UInt64(bitPattern: startedAt), id.ulid.high, id.ulid.low] { bytes.append(bigEndian: word) }
    let sum = TakeCursor.sum(of: bytes[...])
    bytes += [UInt8(sum >> 8), UInt8(truncatingIfNeeded: sum)]
    return Base64URL.encode(bytes)
  }

  /// FNV-1a in 32 bits, folded to 16.
  private static func sum(of bytes: ArraySlice<UInt8>) -> UInt16 {
    let hash = bytes.reduce(2_166_136_261 as UInt32) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return UInt16(truncatingIfNeeded: hash >> 16 ^ hash)
  }
}

extension [UInt8] {
  /// Appends the eight bytes of `word`, the highest first.
  mutating func append(bigEndian word: UInt64) {
    for shift in stride(from: 56 as UInt64, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: word >> shift)) }
  }
}
