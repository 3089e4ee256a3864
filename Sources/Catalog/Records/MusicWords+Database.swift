import GRDB
import Music

// Words are stored as they are written in the manifests; an unknown one is a decoding error.
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

/// Places and lengths are stored as samples at 48 kHz; those that no take has are a decoding error as well.
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
