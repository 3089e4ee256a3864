import Music

/// The `channel` of a frame: a call, a cast, a cast as its viewer sees it, or a conference.
package struct RemonChannel: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case call = "P2P"
    case broadcast = "BROADCAST"
    case viewer = "VIEWER"
    case room = "ROOM"

    /// A type as clients write it; one method of the web SDK misspells `VIEWER`, and Android has a word of its own.
    init?(spelled text: String) {
      switch text {
      case "VIEVER": self = .viewer
      case "CONFERENCE": self = .room
      default: self.init(rawValue: text)
      }
    }
  }

  package var id: String?
  package var name: String?
  package var kind: Kind?
  package var state: RemonState?
  package var serviceID: String?
  /// What the app says of its user (`userMeta`): the client's own in what it sends, the other's in what it gets.
  package var meta: String?

  package init(
    id: String? = nil, name: String? = nil, kind: Kind? = nil, state: RemonState? = nil, serviceID: String? = nil,
    meta: String? = nil
  ) {
    (self.id, self.name, self.kind, self.state) = (id, name, kind, state)
    (self.serviceID, self.meta) = (serviceID, meta)
  }

  /// Reads a client's channel; fields about pictures and simulcast say nothing here.
  /// - Throws: `RemonFault`.
  init(_ object: JSONObject) throws(RemonFault) {
    id = try RemonFrame.string("id", in: object)
    name = try RemonFrame.string("name", in: object)
    serviceID = try RemonFrame.string("serviceId", in: object)
    meta = RemonMeta.text(object["userMeta"] ?? object["meta"])
    guard let type = try RemonFrame.string("type", in: object), !type.isEmpty else { return }
    guard let kind = Kind(spelled: type) else {
      let known = Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw RemonFault(.general, "there is no channel type \"\(type.prefix(64))\"; the types are \(known)")
    }
    self.kind = kind
  }

  package var object: JSONObject {
    var object = JSONObject()
    if let id { object["id"] = .string(id) }
    if let serviceID { object["serviceId"] = .string(serviceID) }
    if let name { object["name"] = .string(name) }
    if let kind { object["type"] = .string(kind.rawValue) }
    if let state { object["status"] = .string(state.rawValue) }
    if let meta { object["userMeta"] = .string(meta) }
    return object
  }
}

/// The states of a channel and of a client.
package enum RemonState: String, Hashable, Sendable, CaseIterable {
  case initial = "INIT"
  /// One is there, and can be called.
  case wait = "WAIT"
  case connect = "CONNECT"
  case complete = "COMPLETE"
  /// From the server: the other side was lost.
  case close = "CLOSE"
  case exit = "EXIT"
  /// From the server: the media connection failed.
  case fail = "FAIL"
}

/// Identifiers of channels, and the rooms of Jamjar behind them.
package enum RemonChannelID {
  /// Permitted lengths, in characters.
  package static let lengths = 4...1_024
  /// Most characters of a room's name.
  private static let longestName = 64
  private static let digestDigits = 16

  /// The room of a channel: of the same name, or, for a long one, of its beginning and a digest of the whole.
  /// - Parameter bound: the room of the account, if all its channels are one.
  /// - Throws: `RemonFault`.
  package static func room(_ id: String, bound: RoomName? = nil) throws(RemonFault) -> RoomName {
    let count = id.utf8.count
    guard lengths.contains(count) else {
      throw RemonFault(
        .general,
        "the channel id has \(count) bytes; it must have \(lengths.lowerBound) to \(lengths.upperBound) letters and digits"
      )
    }
    guard id.utf8.allSatisfy(isPlain) else {
      throw RemonFault(.general, "the channel id may consist of letters a-z A-Z, digits, - and _ only")
    }
    if let bound { return bound }
    // in range: constants
    let short = count <= longestName ? id : "\(id.prefix(longestName - digestDigits - 1))-\(digest(of: id))"
    guard let room = RoomName(short) else { throw RemonFault(.general, "the channel id is not the name of a room") }
    return room
  }

  /// True if a room can be named as a channel.
  package static func isOne(_ room: RoomName) -> Bool {
    lengths.contains(room.description.utf8.count) && room.description.utf8.allSatisfy(isPlain)
  }

  /// The identifier of one musician's cast, as its own client sees it: the SDK tells its own casts in a list by the token
  /// within. Others get it without.
  package static func own(_ participant: ParticipantID, token: String) -> String { "\(participant)\(token)" }

  /// The musician whose cast `id` names; nil if it names a channel.
  package static func participant(in id: String) -> ParticipantID? {
    ParticipantID(String(id.prefix(participantDigits)))
  }

  private static let participantDigits = 26

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// FNV-1a with 64 bits: tells long identifiers apart; it keeps no secret.
  private static func digest(of text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: max(0, digestDigits - digits.count)) + digits
  }
}
