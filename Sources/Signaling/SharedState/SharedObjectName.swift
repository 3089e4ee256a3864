/// The name of a shared object: 1 to 255 bytes of UTF-8 without control characters; unique in its room.
///
/// It is never used as a file's name.
package struct SharedObjectName: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let description: String

  /// - Throws: `RoomRefusal` `.invalidName` that says what was wrong.
  package init(checking text: String) throws(RoomRefusal) {
    try SharedStateLimits.check(name: text, of: "a shared object")
    description = text
  }

  init(known name: String) { description = name }

  package static func < (left: SharedObjectName, right: SharedObjectName) -> Bool {
    left.description < right.description
  }

  /// Who is in the room: a slot for each member's identifier. Only the room writes it.
  package static let roster = SharedObjectName(known: "roster")
  /// The take that is being recorded, empty while none is. Only the room writes it.
  package static let take = SharedObjectName(known: "take")
  /// How loud each musician plays, in dBFS. Only the room writes it.
  package static let levels = SharedObjectName(known: "levels")
  /// What the room itself keeps: whoever uses these names reads the room.
  package static let ofTheRoom: [SharedObjectName] = [.roster, .take, .levels]
}
