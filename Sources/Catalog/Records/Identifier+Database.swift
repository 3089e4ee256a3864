import Foundation
import GRDB
import Music

/// Identifiers are stored as the 16 bytes of the ULID, whose order is the identifier's.
extension Identifier: DatabaseValueConvertible {
  package var databaseValue: DatabaseValue {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    bytes.append(bigEndian: ulid.high)
    bytes.append(bigEndian: ulid.low)
    return Data(bytes).databaseValue
  }

  package static func fromDatabaseValue(_ value: DatabaseValue) -> Identifier? {
    guard case .blob(let bytes) = value.storage, bytes.count == 16 else { return nil }
    func word(_ part: Data) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    return Identifier(ULID(high: word(bytes.prefix(8)), low: word(bytes.suffix(8))))
  }
}
