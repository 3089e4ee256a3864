/// One shared object: slots in insertion order, and a version.
package struct SharedObject: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    var value: SharedValue
    /// Increases with every slot added.
    var place: UInt64
    /// Bytes of key and value.
    var size: Int
  }

  package let name: SharedObjectName
  /// Whether it is kept without users and across restarts; determined by its creator.
  package let isPersistent: Bool
  /// Identifies the creator; nil for the service.
  package let creator: String?
  /// True if only the room changes it.
  package let isReadOnly: Bool
  /// Starts at 1 and increases with every change message and every use.
  package internal(set) var version = 1
  var entries: [String: Entry] = [:]
  var nextPlace: UInt64 = 0
  /// Total bytes of keys and values.
  package internal(set) var size = 0

  package init(name: SharedObjectName, isPersistent: Bool, creator: String? = nil, isReadOnly: Bool = false) {
    self.name = name
    self.isPersistent = isPersistent
    self.creator = creator
    self.isReadOnly = isReadOnly
  }

  package var count: Int { entries.count }
  package var isEmpty: Bool { entries.isEmpty }

  /// The value of a slot; nil if there is none.
  package subscript(key: String) -> SharedValue? { entries[key]?.value }

  /// All slots in order.
  package var slots: [SharedObjectEvent.Slot] {
    entries.sorted { $0.value.place < $1.value.place }.map { .init($0.key, $0.value.value) }
  }

  /// Records that a member starts to use it.
  mutating func join() { version &+= 1 }

  /// The size of a slot for the limits.
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

  /// Removes a slot; true if it existed.
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
/// It is never used as a file name.
package struct SharedObjectName: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let description: String

  /// - Throws: `RoomRefusal` `.invalidName` with the fault.
  package init(checking text: String) throws(RoomRefusal) {
    try SharedStateLimits.check(name: text, of: "a shared object")
    description = text
  }

  init(known name: String) { description = name }

  package static func < (left: SharedObjectName, right: SharedObjectName) -> Bool {
    left.description < right.description
  }

  /// The members of the room: a slot for each identifier. Only the room writes it.
  package static let roster = SharedObjectName(known: "roster")
  /// The take being recorded; empty without one. Only the room writes it.
  package static let take = SharedObjectName(known: "take")
  /// The level of each musician, in dBFS. Only the room writes it.
  package static let levels = SharedObjectName(known: "levels")
  /// The names of the room's own objects.
  package static let ofTheRoom: [SharedObjectName] = [.roster, .take, .levels]
}

/// One step of a change message.
package enum SharedChange: Hashable, Sendable {
  /// Sets a slot; null removes it.
  case set(String, SharedValue)
  case remove(String)
  /// Removes all slots.
  case clear
  /// Calls a handler of everyone who uses the object, including the sender; nothing is stored.
  case send(handler: String, [SharedValue])
}

/// The author of a change to a shared object.
package enum SharedWriter: Hashable, Sendable {
  /// A member, in the form that identifies an object's creator.
  case member(String)
  /// The operator of the service, through REST.
  case service
  /// The room itself, for the objects that only it writes.
  case room
}
