// Arithmetic in this file is in range: the padding is below 3, and lists are joined.

import Machines
import Music

/// The position in a list after which a page begins: the sort key of the previous item.
///
/// Externally it is opaque text, 27 bytes in base64url: the list's kind (1), a number (8, big endian: milliseconds, a
/// length, a place), the ULID (16) and a checksum (2). The checksum protects no secret; it turns a truncated or
/// mistyped cursor into an error instead of a wrong page.
package struct ListCursor: Hashable, Sendable {
  /// The list of the cursor; cursors of other lists are refused.
  package enum Kind: UInt8, CaseIterable, Sendable {
    case newestTakes = 1
    case oldestTakes
    case bestRatedTakes
    case longestTakes
    case shortestTakes
    /// Takes by their places in the full-text index.
    case newestFoundTakes
    case oldestFoundTakes
    case foundSongs
    case foundPeople
    case sessions

    /// True if the list is in descending order.
    var isDescending: Bool {
      switch self {
      case .oldestTakes, .shortestTakes, .oldestFoundTakes: false
      default: true
      }
    }
  }

  var kind: Kind
  var number: Int64
  var id: ULID

  private static let length = 27
  /// Accepted numbers: the checksum can be forged, and adjacent numbers must also be valid.
  private static let numbers = -(Int64(1) << 62)...(1 << 62)

  init(_ kind: Kind, number: Int64, id: ULID = ULID(high: 0, low: 0)) {
    self.kind = kind
    self.number = number
    self.id = id
  }

  /// The position before the first possible item.
  static func beginning(of kind: Kind) -> ListCursor {
    kind.isDescending
      ? ListCursor(kind, number: .max, id: ULID(high: .max, low: .max)) : ListCursor(kind, number: .min)
  }

  /// - Throws: `CatalogError.invalidCursor` for a cursor that did not come from this list.
  package init(_ text: String, of kind: Kind) throws(CatalogError) {
    // The length is checked first, so that a megabyte of text is not decoded in vain.
    guard text.utf8.count == ListCursor.length / 3 * 4, let bytes = Base64.url.decode(text),
      bytes.first == kind.rawValue
    else { throw .invalidCursor(text) }
    func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
    let place = Int64(bitPattern: number(1..<9))
    guard number(25..<27) == UInt64(ListCursor.sum(of: bytes[..<25])), ListCursor.numbers.contains(place) else {
      throw .invalidCursor(text)
    }
    self.init(kind, number: place, id: ULID(high: number(9..<17), low: number(17..<25)))
  }

  /// Parses a page's cursor; nil means the beginning.
  static func read(_ text: String?, of kind: Kind) throws(CatalogError) -> ListCursor {
    if let text { try ListCursor(text, of: kind) } else { beginning(of: kind) }
  }

  package var text: String {
    var bytes = [kind.rawValue]
    for word in [UInt64(bitPattern: number), id.high, id.low] { bytes.append(bigEndian: word) }
    let sum = ListCursor.sum(of: bytes[...])
    bytes += [UInt8(sum >> 8), UInt8(truncatingIfNeeded: sum)]
    return Base64.url.encode(bytes)
  }

  /// FNV-1a in 32 bits, folded to 16.
  static func sum(of bytes: ArraySlice<UInt8>) -> UInt16 {
    let hash = bytes.reduce(2_166_136_261 as UInt32) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return UInt16(truncatingIfNeeded: hash >> 16 ^ hash)
  }
}

extension [UInt8] {
  /// Appends the eight bytes of `word`, most significant first.
  mutating func append(bigEndian word: UInt64) {
    for shift in stride(from: 56 as UInt64, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: word >> shift)) }
  }
}

/// The position in a list sorted by a text: that of the previous item, with its identifier.
///
/// Base64url of kind (1), ULID (16), checksum (2), the text in UTF-8, and spaces up to a multiple of three.
package struct TextCursor: Hashable, Sendable {
  /// The list of the cursor.
  package enum Kind: UInt8, Sendable {
    case songs = 65
    case people
  }

  var kind: Kind
  var text: String
  var id: ULID

  /// Longest cursor decoded, in bytes; the longest title gives less.
  private static let maximumLength = 8_192

  init(_ kind: Kind, text: String, id: ULID) {
    self.kind = kind
    self.text = text
    self.id = id
  }

  /// Parses a page's cursor; nil means the beginning.
  /// - Throws: `CatalogError.invalidCursor` for a cursor that did not come from this list.
  package static func read(_ cursor: String?, of kind: Kind) throws(CatalogError) -> TextCursor {
    guard let cursor else { return TextCursor(kind, text: "", id: ULID(high: 0, low: 0)) }
    guard cursor.utf8.count <= maximumLength, let bytes = Base64.url.decode(cursor), bytes.count >= 21,
      bytes.first == kind.rawValue
    else { throw .invalidCursor(cursor) }
    func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
    let padding = Int(bytes[19])
    guard padding < 3, bytes.count - padding >= 20 else { throw .invalidCursor(cursor) }
    let text = bytes[20..<bytes.count - padding]
    guard number(17..<19) == UInt64(ListCursor.sum(of: bytes[0..<17] + text)),
      let text = String(validating: text, as: UTF8.self)
    else { throw .invalidCursor(cursor) }
    return TextCursor(kind, text: text, id: ULID(high: number(1..<9), low: number(9..<17)))
  }

  package var encoded: String {
    var bytes = [kind.rawValue]
    bytes.append(bigEndian: id.high)
    bytes.append(bigEndian: id.low)
    let sum = ListCursor.sum(of: (bytes + Array(text.utf8))[...])
    let padding = (3 - (20 + text.utf8.count) % 3) % 3
    bytes += [UInt8(sum >> 8), UInt8(truncatingIfNeeded: sum), UInt8(padding)]
    bytes += Array(text.utf8) + [UInt8](repeating: 0, count: padding)
    return Base64.url.encode(bytes)
  }
}
