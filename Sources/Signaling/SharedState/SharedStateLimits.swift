/// How much shared state a room keeps; whoever asks for more is told which limit it was.
package enum SharedStateLimits {
  /// Bytes of UTF-8 of names of objects, keys of slots, names of handlers and of classes.
  package static let nameBytes = 255
  /// Objects of one room, the stored ones included.
  package static let objectsPerRoom = 256
  /// Objects that one member uses at a time.
  package static let objectsPerMember = 64
  /// Slots of one object.
  package static let slots = 1_000
  /// Bytes of one value, and of all arguments of one message together.
  package static let valueBytes = 256 << 10
  /// Bytes of one object: keys and values of all its slots.
  package static let objectBytes = 2 << 20
  /// Bytes of all objects of one room together.
  package static let roomBytes = 64 << 20
  /// Bytes of all persistent objects of one room.
  package static let persistentBytes = 16 << 20
  /// Steps of one change message.
  package static let changes = 1_000
  /// Arrays and objects inside each other.
  package static let depth = 32
  /// Values inside one value.
  package static let values = 10_000

  /// - Throws: `RoomRefusal` `.invalidName` where `text` is no name.
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

  /// - Throws: `RoomRefusal` where a handler's name or its arguments break a limit.
  package static func check(handler: String, _ arguments: [SharedValue]) throws(RoomRefusal) {
    try check(name: handler, of: "a handler")
    try SharedValue.array(arguments).check("the list of arguments")
  }
}

/// What members may do with shared objects; REST, which needs an API key, may do everything.
package struct SharedObjectPolicy: Hashable, Sendable {
  /// Who may make objects that are kept.
  package enum Creation: String, Hashable, Sendable, CaseIterable {
    case everybody, nobody
  }

  /// Who may remove slots and clear: some clients do so when they only mean to close their handle.
  package enum Deletion: String, Hashable, Sendable, CaseIterable {
    case everybody, nobody
    /// Whoever made the object, known by the identity of their token, or else by their display name.
    case creator
  }

  package var creation: Creation
  package var deletion: Deletion

  package init(creation: Creation = .everybody, deletion: Deletion = .everybody) {
    self.creation = creation
    self.deletion = deletion
  }
}
