import GRDB
import Music

extension Row {
  /// Reads a room's name.
  /// - Throws: `NameError` for what was not written by us, which callers get as `CatalogError.damaged`.
  func roomName(at index: Int) throws -> RoomName {
    try RoomName(checking: decode(String.self, atIndex: index))
  }

  /// Reads a participant's name; throws as above.
  func displayName(at index: Int) throws -> DisplayName {
    try DisplayName(checking: decode(String.self, atIndex: index))
  }
}
