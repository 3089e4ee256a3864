/// A shared-object message (type 19 or 16): the object's name and version, and events in order.
package struct RTMPObjectMessage: Hashable, Sendable {
  /// The flag of a persistent object.
  static let persistentFlag: UInt32 = 0x02
  /// The flag of clients that expect `changeEcho` for their writes.
  static let proxiedFlag: UInt32 = 0x10

  package var name: String
  /// From a server, the object's version; a client's value must not be used to refuse anything.
  package var version: UInt32
  /// From a server, only 2 or 0: the iOS library compares with 2.
  package var flags: UInt32
  package var events: [RTMPObjectEvent]

  package init(_ name: String, version: UInt32 = 0, isPersistent: Bool = false, _ events: [RTMPObjectEvent]) {
    self.name = name
    self.version = version
    flags = isPersistent ? RTMPObjectMessage.persistentFlag : 0
    self.events = events
  }

  /// Bytes of memory that the message takes, estimated.
  package var footprint: Int {
    events.reduce(name.utf8.count) { sum, event in
      switch event {
      case .requestChange(let slot, let value), .change(let slot, let value), .changeEcho(let slot, let value):
        sum &+ slot.utf8.count &+ value.footprint
      case .success(let slot, let value): sum &+ slot.utf8.count &+ (value?.footprint ?? 0)
      case .message(let name, let values): sum &+ name.utf8.count &+ AMFValue.footprint(values)
      default: sum &+ RTMPObjectMessage.smallEvent
      }
    }
  }
  /// Most bytes of an event without values.
  private static let smallEvent = 256

  package var isPersistent: Bool { flags & RTMPObjectMessage.persistentFlag != 0 }

  /// True if the client only stores its own writes when event 13 echoes them (csimi, proxied objects of FMS).
  package var wantsChangeEcho: Bool { flags & RTMPObjectMessage.proxiedFlag != 0 }

  /// True if the name is valid: 1 to 255 bytes without control characters.
  package var hasGoodName: Bool {
    (1...255).contains(name.utf8.count) && !name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
  }
}

/// An event in a shared-object message; names follow the usual direction.
package enum RTMPObjectEvent: Hashable, Sendable {
  /// 1: subscribe, and create the object if that is allowed.
  case use
  /// 2: unsubscribe.
  case release
  /// 3: the client sets a slot; null deletes it.
  case requestChange(String, AMFValue)
  /// 4: the new value of a slot; never null or undefined, which the iOS library cannot parse.
  case change(String, AMFValue)
  /// 5: to the writer, with the stored value so that all copies agree; Red5 omits the value.
  case success(String, AMFValue?)
  /// 6: a message to all subscribers, including the sender.
  case message(String, [AMFValue])
  /// 7: a refusal; the code comes before the level in the encoding.
  case status(code: String, level: String)
  /// 8: all slots were removed; from a client, a request to do so.
  case clear
  /// 9: a slot was removed.
  case remove(String)
  /// 10: the client removes a slot.
  case requestRemove(String)
  /// 11: the subscription succeeded; precedes all other events.
  case useSuccess
  /// 13: replaces `success` for the writer of an object used with flag 0x10.
  case changeEcho(String, AMFValue)
  /// 14: a request to clear from such a client.
  case requestClear

  /// True if a server must handle it.
  var isOfClient: Bool {
    switch self {
    case .use, .release, .requestChange, .message, .clear, .requestRemove, .requestClear: true
    case .change, .success, .status, .remove, .useSuccess, .changeEcho: false
    }
  }

  /// The number in the encoding.
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
  /// It does not exist and must not be created; the header's version is 0.
  case objectCreationFailed = "SharedObject.ObjectCreationFailed"
  /// It exists with the other persistence; the header's version is 0.
  case badPersistence = "SharedObject.BadPersistence"
  /// It must not be used; the header has the current version.
  case noReadAccess = "SharedObject.NoReadAccess"
  /// A set, remove or clear was denied; the header has the current version.
  case noWriteAccess = "SharedObject.NoWriteAccess"

  /// The status event with this code.
  package var event: RTMPObjectEvent { .status(code: rawValue, level: "error") }
}

extension RTMPObjectMessage {
  /// Encodes the message with AMF0 values; type 16 has one additional byte before them.
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
  /// The bytes after the length field.
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
