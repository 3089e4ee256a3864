/// The limits of a room's shared state; a refusal names the limit exceeded.
package enum SharedStateLimits {
  /// Maximum length in bytes of UTF-8 of the names of objects, slots, handlers and classes.
  package static let nameBytes = 255
  /// Maximum number of objects per room, including stored ones.
  package static let objectsPerRoom = 256
  /// Maximum number of objects in use by one member.
  package static let objectsPerMember = 64
  /// Maximum number of slots per object.
  package static let slots = 1_000
  /// Maximum bytes of one value, or of all arguments of one message.
  package static let valueBytes = 256 << 10
  /// Maximum bytes of one object: keys and values of all its slots.
  package static let objectBytes = 2 << 20
  /// Maximum total bytes of all objects of a room.
  package static let roomBytes = 64 << 20
  /// Maximum total bytes of all persistent objects of a room.
  package static let persistentBytes = 16 << 20
  /// Maximum number of steps per change message.
  package static let changes = 1_000
  /// Maximum nesting depth of arrays and objects.
  package static let depth = 32
  /// Maximum number of values within one value.
  package static let values = 10_000

  /// - Throws: `RoomRefusal` `.invalidName` if `text` is not a valid name.
  static func check(name text: String, of what: String) throws(RoomRefusal) {
    let count = text.utf8.count
    guard (1...nameBytes).contains(count) else {
      throw RoomRefusal(.invalidName, "the name of \(what) has \(count) bytes; it must have 1 to \(nameBytes)")
    }
    for scalar in text.unicodeScalars where scalar.properties.generalCategory == .control {
      let code = String(scalar.value, radix: 16, uppercase: true)
      throw RoomRefusal(.invalidName, "the name of \(what) contains the control character U+\(code)")
    }
  }

  /// - Throws: `RoomRefusal` if a handler's name or its arguments exceed a limit.
  package static func check(handler: String, _ arguments: [SharedValue]) throws(RoomRefusal) {
    try check(name: handler, of: "a handler")
    try SharedValue.array(arguments).check("the list of arguments")
  }
}

/// Members' permissions for shared objects; REST, which requires an API key, may do everything.
package struct SharedObjectPolicy: Hashable, Sendable {
  /// Members allowed to create persistent objects.
  package enum Creation: String, Hashable, Sendable, CaseIterable {
    case everybody, nobody
  }

  /// Members allowed to remove slots and clear: some clients do so when they only mean to close their handle.
  package enum Deletion: String, Hashable, Sendable, CaseIterable {
    case everybody, nobody
    /// The creator of the object, identified by their token or else by their display name.
    case creator
  }

  package var creation: Creation
  package var deletion: Deletion

  package init(creation: Creation = .everybody, deletion: Deletion = .everybody) {
    self.creation = creation
    self.deletion = deletion
  }
}
