/// One shared object: slots in the order in which they came, and a version.
package struct SharedObject: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    var value: SharedValue
    /// Counts up with every slot that is added.
    var place: UInt64
    /// Bytes of key and value.
    var size: Int
  }

  package let name: SharedObjectName
  /// Kept without users and over a restart; fixed by whoever made it.
  package let isPersistent: Bool
  /// What its creator is known by, nil for the service.
  package let creator: String?
  /// Only the room changes it.
  package let isReadOnly: Bool
  /// 1 at first; one more for every change message and for every use.
  package internal(set) var version = 1
  var entries: [String: Entry] = [:]
  var nextPlace: UInt64 = 0
  /// Bytes of all keys and values.
  package internal(set) var size = 0

  package init(name: SharedObjectName, isPersistent: Bool, creator: String? = nil, isReadOnly: Bool = false) {
    self.name = name
    self.isPersistent = isPersistent
    self.creator = creator
    self.isReadOnly = isReadOnly
  }

  package var count: Int { entries.count }
  package var isEmpty: Bool { entries.isEmpty }

  /// The value of a slot, nil where there is none.
  package subscript(key: String) -> SharedValue? { entries[key]?.value }

  /// All slots in order.
  package var slots: [SharedObjectEvent.Slot] {
    entries.sorted { $0.value.place < $1.value.place }.map { .init($0.key, $0.value.value) }
  }

  /// Somebody begins to use it.
  mutating func join() { version &+= 1 }

  /// What a slot counts for.
  static func size(_ key: String, _ value: SharedValue) -> Int { 2 &+ key.utf8.count &+ value.size }

  mutating func store(_ value: SharedValue, at key: String) {
    let size = SharedObject.size(key, value)
    if let former = entries[key] {
      self.size &+= size &- former.size
      entries[key] = Entry(value: value, place: former.place, size: size)
    } else {
      self.size &+= size
      entries[key] = Entry(value: value, place: nextPlace, size: size)
      nextPlace &+= 1
    }
  }

  /// True where there was such a slot.
  mutating func take(_ key: String) -> Bool {
    guard let former = entries.removeValue(forKey: key) else { return false }
    size &-= former.size
    return true
  }

  mutating func empty() {
    entries = [:]
    size = 0
  }
}

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

/// One step of a change message.
package enum SharedChange: Hashable, Sendable {
  /// Gives a slot a value; null takes the slot away.
  case set(String, SharedValue)
  case remove(String)
  /// Takes all slots away.
  case clear
  /// Calls a handler of everybody who uses the object, the sender included; nothing is kept.
  case send(handler: String, [SharedValue])
}

/// Who changes a shared object.
package enum SharedWriter: Hashable, Sendable {
  /// A member, by what the creator of an object is known by later.
  case member(String)
  /// Whoever runs the service, by REST.
  case service
  /// The room itself, for the objects that only it writes.
  case room
}
