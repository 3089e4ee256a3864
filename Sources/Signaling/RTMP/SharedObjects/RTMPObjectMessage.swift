/// A shared-object message (type 19, or 16): the object's name and version, and events in their order.
package struct RTMPObjectMessage: Hashable, Sendable {
  /// The bit of a persistent object.
  static let persistentFlag: UInt32 = 0x02
  /// The bit of clients that want `changeEcho` for their writes.
  static let proxiedFlag: UInt32 = 0x10

  package var name: String
  /// From a server the object's version; what a client says must not be used to refuse anything.
  package var version: UInt32
  /// From a server 2 or 0 only: the iOS library compares with 2.
  package var flags: UInt32
  package var events: [RTMPObjectEvent]

  package init(_ name: String, version: UInt32 = 0, isPersistent: Bool = false, _ events: [RTMPObjectEvent]) {
    self.name = name
    self.version = version
    flags = isPersistent ? RTMPObjectMessage.persistentFlag : 0
    self.events = events
  }

  package var isPersistent: Bool { flags & RTMPObjectMessage.persistentFlag != 0 }

  /// Whether the client keeps no value of its own write unless event 13 brings it (csimi, proxied objects of FMS).
  package var wantsChangeEcho: Bool { flags & RTMPObjectMessage.proxiedFlag != 0 }

  /// Whether the name is one: 1 to 255 bytes without control characters.
  package var hasGoodName: Bool {
    (1...255).contains(name.utf8.count) && !name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
  }
}
