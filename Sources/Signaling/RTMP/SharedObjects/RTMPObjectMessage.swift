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

/// An event of a shared-object message; the names are those of the direction in which it normally goes.
package enum RTMPObjectEvent: Hashable, Sendable {
  /// 1: subscribe, and create the object if that is allowed.
  case use
  /// 2: unsubscribe.
  case release
  /// 3: the client sets a slot; null deletes it.
  case requestChange(String, AMFValue)
  /// 4: a slot has this value now; never null or undefined, which the iOS library can't read.
  case change(String, AMFValue)
  /// 5: to the writer, with the stored value so that all copies end alike; Red5 leaves the value out.
  case success(String, AMFValue?)
  /// 6: a message to all subscribers, the sender included.
  case message(String, [AMFValue])
  /// 7: a refusal; on the wire the code comes before the level.
  case status(code: String, level: String)
  /// 8: all slots are gone; from a client it wishes that.
  case clear
  /// 9: a slot is gone.
  case remove(String)
  /// 10: the client removes a slot.
  case requestRemove(String)
  /// 11: the subscription stands; comes before all others.
  case useSuccess
  /// 13: to the writer of an object that was used with flag 0x10, instead of `success`.
  case changeEcho(String, AMFValue)
  /// 14: the wish to clear of such a client.
  case requestClear

  /// Whether a server has to listen to it.
  var isOfClient: Bool {
    switch self {
    case .use, .release, .requestChange, .message, .clear, .requestRemove, .requestClear: true
    case .change, .success, .status, .remove, .useSuccess, .changeEcho: false
    }
  }

  /// The number on the wire.
  var number: UInt8 {
    switch self {
    case .use: 1
    case .release: 2
    case .requestChange: 3
    case .change: 4
    case .success: 5
    case .message: 6
    case .status: 7
    case .clear: 8
    case .remove: 9
    case .requestRemove: 10
    case .useSuccess: 11
    case .changeEcho: 13
    case .requestClear: 14
    }
  }
}

/// The codes of event 7.
package enum RTMPObjectStatus: String, Hashable, Sendable, CaseIterable {
  /// It does not exist and may not be created; header version 0.
  case objectCreationFailed = "SharedObject.ObjectCreationFailed"
  /// It exists with the other persistence; header version 0.
  case badPersistence = "SharedObject.BadPersistence"
  /// It may not be used; header version is the current one.
  case noReadAccess = "SharedObject.NoReadAccess"
  /// A set, remove or clear was denied; header version is the current one.
  case noWriteAccess = "SharedObject.NoWriteAccess"

  /// The event that says so.
  package var event: RTMPObjectEvent { .status(code: rawValue, level: "error") }
}

extension RTMPObjectMessage {
  /// The message with AMF0 values; as type 16 it has one more byte before it.
  func message(isAMF3: Bool = false) -> RTMPMessage {
    var body: [UInt8] = isAMF3 ? [0] : []
    body.append(text16: name)
    body.append(version, octets: 4)
    body.append(flags, octets: 4)
    body.append(UInt32(0), octets: 4)
    for event in events {
      let data = event.bytes
      body.append(event.number)
      body.append(UInt64(data.count), octets: 4)
      body.append(contentsOf: data)
    }
    return RTMPMessage(type: isAMF3 ? RTMPMessage.sharedObjectAMF3 : RTMPMessage.sharedObject, body: body)
  }
}

extension RTMPObjectEvent {
  /// What follows the length.
  fileprivate var bytes: [UInt8] {
    var bytes: [UInt8] = []
    switch self {
    case .use, .release, .clear, .useSuccess, .requestClear: return []
    case .requestChange(let key, let value), .change(let key, let value), .changeEcho(let key, let value):
      return RTMPObjectEvent.slot(key, value)
    case .success(let key, let value):
      return RTMPObjectEvent.slot(key, value)
    case .remove(let key), .requestRemove(let key):
      return RTMPObjectEvent.slot(key, nil)
    case .message(let name, let arguments):
      return AMFWriter.bytes([.string(name)] + arguments)
    case .status(let code, let level):
      bytes.append(text16: code)
      bytes.append(text16: level)
      return bytes
    }
  }

  private static func slot(_ key: String, _ value: AMFValue?) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(text16: key)
    guard let value else { return bytes }
    var writer = AMFWriter(after: bytes)
    writer.write(value)
    return writer.bytes
  }
}
