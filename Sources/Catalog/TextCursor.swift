import Machines
import Music

/// The place in a list that is sorted by a text: that of the item before, with its identifier.
///
/// Base64url of kind (1), ULID (16), check sum (2), the text's UTF-8, and blanks up to a multiple of three.
struct TextCursor: Hashable, Sendable {
  /// The list that a cursor belongs to.
  enum Kind: UInt8 {
    case songs = 65
    case people
  }

  var kind: Kind
  var text: String
  var id: ULID

  /// Longest cursor that is decoded, in bytes: more than the longest title gives.
  private static let maximumLength = 8_192

  init(_ kind: Kind, text: String, id: ULID) {
    self.kind = kind
    self.text = text
    self.id = id
  }

  /// Reads a page's cursor; the beginning where there is none.
  /// - Throws: `CatalogError.invalidCursor` for what this list did not give out.
  static func read(_ cursor: String?, of kind: Kind) throws(CatalogError) -> TextCursor {
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

  var encoded: String {
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
