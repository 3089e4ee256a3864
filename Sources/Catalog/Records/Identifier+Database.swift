import Foundation
import GRDB
import Music

/// Identifiers are stored as the 16 bytes of the ULID, whose order is the identifier's.
extension Identifier: DatabaseValueConvertible, StatementColumnConvertible {
  package var databaseValue: DatabaseValue {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    bytes.append(bigEndian: ulid.high)
    bytes.append(bigEndian: ulid.low)
    return Data(bytes).databaseValue
  }

  package static func fromDatabaseValue(_ value: DatabaseValue) -> Identifier? {
    guard case .blob(let bytes) = value.storage else { return nil }
    return Identifier(bytes)
  }

  package init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(Data(sqliteStatement: sqliteStatement, index: index))
  }

  private init?(_ bytes: Data) {
    guard bytes.count == 16 else { return nil }
    self = bytes.withUnsafeBytes { bytes in
      let high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
      let low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      return Identifier(ULID(high: high, low: low))
    }
  }
}
