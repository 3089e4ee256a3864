import Music

/// What a client of XirSys sends in one text of its socket.
enum XirSysFrame: Hashable, Sendable {
  /// A message to one user of the room, or to all of them.
  case message(XirSysMessage, to: String?)
  /// The present users, asked for once more.
  case peers
  /// Keepalives (`{}`, the bare word `ping`), and what no version knows.
  case nothing

  /// Reads a text; what cannot be read is `nothing`, as with XirSys, which has no words for it.
  init(_ text: String, limits: JSONLimits) {
    guard let object = (try? JSONValue(parsing: text, limits: limits))?.object else {
      self = .nothing
      return
    }
    if let name = object["eventName"]?.string {
      self = .message(.legacy(name: name, data: object["data"] ?? .null), to: object["targetUserId"]?.string)
    } else if object["t"]?.string == "u", let head = object["m"]?.object, let operation = head["o"]?.string {
      if operation == "peers" {
        self = .peers
      } else {
        let target = head["t"]?.string.flatMap { $0.split(separator: "/").last.map(String.init) }
        self = .message(.channel(operation: operation, payload: object["p"] ?? .null), to: target)
      }
    } else {
      self = .nothing
    }
  }
}

/// A client as Jamjar writes to it.
package struct XirSysListener: Hashable, Sendable {
  /// Of the frames: by the path of its socket.
  package let framing: XirSysVocabulary.Framing
  /// The words it was last heard to use.
  package private(set) var vocabulary: XirSysVocabulary
  /// Whether its handshake had an `Origin`.
  private let isPage: Bool
  /// The channel, as in `m.f`: `domain/application/room`.
  package let path: String
  /// The room as the client named it.
  package let room: String

  /// A client that has said nothing yet: a page (`isPage`, its handshake has an `Origin`) is taken for xRtc's.
  package init(framing: XirSysVocabulary.Framing, isPage: Bool, path: String, room: String) {
    self.framing = framing
    self.isPage = isPage
    self.path = path
    self.room = room
    vocabulary =
      switch framing {
      case .legacy: isPage ? .xrtc : .perch
      case .channel: .message
      }
  }

  /// The same user on another socket: a client of the same kind has the words that it was heard to use.
  func continued(by newcomer: XirSysListener) -> XirSysListener {
    var next = newcomer
    if (newcomer.framing, newcomer.isPage) == (framing, isPage) { next.vocabulary = vocabulary }
    return next
  }

  /// Notes the words of a message, so that it is answered in the same.
  mutating func heard(_ message: XirSysMessage) {
    guard let original = message.original, original.vocabulary.framing == framing, message.content != .other else {
      return
    }
    vocabulary = original.vocabulary
  }

  /// Another user's message.
  func text(_ message: XirSysMessage, from sender: String, to me: String) -> String {
    let (name, data) = message.words(in: vocabulary)
    switch framing {
    case .legacy:
      let inner: JSONValue = ["eventName": .string(name), "targetUserId": .string(me), "data": data]
      let frame: JSONValue = [
        "type": .string(name), "userid": .string(sender), "room": .string(room), "message": inner,
      ]
      return frame.text
    case .channel:
      return channel(operation: name, from: sender, to: me, payload: data)
    }
  }

  /// The names of everybody here, the receiver's among them.
  func peers(_ names: [String]) -> String {
    let users = JSONValue.array(names.map { .string($0) })
    switch framing {
    case .legacy:
      let frame: JSONValue = [
        "type": "peers", "userid": "server", "room": .string(room), "message": ["users": users],
      ]
      return frame.text
    case .channel: return channel(operation: "peers", from: "__sys__", to: nil, payload: ["users": users])
    }
  }

  func connected(_ name: String) -> String { presence("peer_connected", name) }
  func removed(_ name: String) -> String { presence("peer_removed", name) }

  /// PerchRTC reads the name in `userid`, xRtc's pages in `message`: it stands in both.
  private func presence(_ word: String, _ name: String) -> String {
    switch framing {
    case .legacy:
      let frame: JSONValue = [
        "type": .string(word), "userid": .string(name), "room": .string(room), "message": .string(name),
      ]
      return frame.text
    case .channel: return channel(operation: word, from: name, to: nil, payload: [:])
    }
  }

  private func channel(operation: String, from sender: String, to target: String?, payload: JSONValue) -> String {
    var head: JSONObject = ["f": .string("\(path)/\(sender)")]
    if let target { head["t"] = .string(target) }
    head["o"] = .string(operation)
    let frame: JSONValue = ["t": "u", "m": .object(head), "p": payload]
    return frame.text
  }

  /// XirSys' own words for a token that is unknown, used up or too old; clients look for them.
  package static let invalidToken = "Token invalid"
}

/// Each text is one message; a close is announced by a JSON string in place of a frame: XirSys' form for telling why.
package struct XirSysFraming: LinkFraming {
  package init() {}

  package func closing(code: UInt16, reason: String) -> String? { JSONValue.string(reason).text }
}
