import Foundation
import GRDB
import Music

// Stored in the same notation as in manifests; unknown values are decoding errors.
extension TakeState: DatabaseValueConvertible, StatementColumnConvertible {}
extension Gap.Cause: DatabaseValueConvertible {}

/// Instants are stored as milliseconds since 1970.
extension WallTime: DatabaseValueConvertible, StatementColumnConvertible {
  package var databaseValue: DatabaseValue { milliseconds.databaseValue }

  package static func fromDatabaseValue(_ value: DatabaseValue) -> WallTime? {
    Int64.fromDatabaseValue(value).map(WallTime.init(milliseconds:))
  }

  package init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(milliseconds: Int64(sqliteStatement: sqliteStatement, index: index))
  }
}

/// Stored as samples at 48 kHz; implausible values are decoding errors as well.
extension SamplePosition: DatabaseValueConvertible, StatementColumnConvertible {
  package var databaseValue: DatabaseValue { samples.databaseValue }

  package static func fromDatabaseValue(_ value: DatabaseValue) -> SamplePosition? {
    Int64.fromDatabaseValue(value).flatMap(SamplePosition.init(stored:))
  }

  private init?(stored samples: Int64) {
    guard SamplePosition.permitted.contains(samples) else { return nil }
    self.init(samples)
  }

  package init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(stored: Int64(sqliteStatement: sqliteStatement, index: index))
  }
}

/// Stored as the 16 bytes of the ULID, which sort like the identifier.
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

extension Row {
  /// Decodes a room's name.
  /// - Throws: `NameError` for a name not written by this program; callers receive `CatalogError.damaged`.
  func roomName(at index: Int) throws -> RoomName {
    try RoomName(checking: decode(String.self, atIndex: index))
  }

  /// Decodes a participant's name; throws as above.
  func displayName(at index: Int) throws -> DisplayName {
    try DisplayName(checking: decode(String.self, atIndex: index))
  }
}
