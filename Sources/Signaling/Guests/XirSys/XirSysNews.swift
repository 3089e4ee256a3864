/// What a server of XirSys says to one of its clients in one text: presence, and other clients' messages.
enum XirSysNews: Hashable, Sendable {
  /// Everybody in the room, the receiver among them.
  case peers([String])
  case connected(String)
  case removed(String)
  case message(XirSysMessage, from: String)
  /// A JSON string: why the server closes the socket.
  case complaint(String)
  /// Signs of life, and what no version knows.
  case nothing

  /// Bare words that are signs of life.
  private static let signs: Set<String> = ["", "ping", "pong"]

  /// - Throws: `GuestFault` `.nonsense` for what is no JSON.
  init(_ text: String, limits: JSONLimits) throws(GuestFault) {
    guard !XirSysNews.signs.contains(text) else {
      self = .nothing
      return
    }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: text, limits: limits)
    } catch {
      throw GuestFault(.nonsense, "the server does not speak XirSys' protocol: \(error)")
    }
    if let sentence = value.string {
      self = .complaint(sentence)
    } else if let object = value.object {
      self = XirSysNews.legacy(object) ?? XirSysNews.channel(object) ?? .nothing
    } else {
      self = .nothing
    }
  }

  /// Dialect A: `{type, userid, room, message}`. Some servers name the user in `message`.
  private static func legacy(_ object: JSONObject) -> XirSysNews? {
    guard let type = object["type"]?.string else { return nil }
    let body = object["message"]
    let name = object["userid"]?.string ?? body?.string
    switch type {
    case "peers": return .peers(names(body?.object?["users"]))
    case "peer_connected": return name.map { .connected($0) }
    case "peer_removed": return name.map { .removed($0) }
    default:
      guard let sender = object["userid"]?.string, let inner = body?.object else { return nil }
      return .message(.legacy(name: type, data: inner["data"] ?? .null), from: sender)
    }
  }

  /// Dialect B: `{t, m: {f, o}, p}`. The sender is the last part of `f`.
  private static func channel(_ object: JSONObject) -> XirSysNews? {
    guard object["t"]?.string == "u", let head = object["m"]?.object, let operation = head["o"]?.string else {
      return nil
    }
    let payload = object["p"] ?? .null
    if operation == "peers" { return .peers(names(payload.object?["users"])) }
    guard let sender = head["f"]?.string?.split(separator: "/").last.map(String.init) else { return nil }
    switch operation {
    case "peer_connected": return .connected(sender)
    case "peer_removed": return .removed(sender)
    default: return .message(.channel(operation: operation, payload: payload), from: sender)
    }
  }

  /// Names, or objects with one as `id`.
  private static func names(_ value: JSONValue?) -> [String] {
    (value?.array ?? []).compactMap { $0.string ?? $0.object?["id"]?.string }
  }
}

/// A client of XirSys, as it writes to others.
struct XirSysSpeaker: Hashable, Sendable {
  let name: String
  /// The channel, as in `m.f`: `domain/application/room`.
  let path: String

  func text(_ message: XirSysMessage, to target: String, in vocabulary: XirSysVocabulary) -> String {
    let (word, data) = message.words(in: vocabulary)
    switch vocabulary.framing {
    case .legacy:
      let frame: JSONValue = ["eventName": .string(word), "targetUserId": .string(target), "data": data]
      return frame.text
    case .channel:
      let head: JSONObject = ["f": .string("\(path)/\(name)"), "o": .string(word), "t": .string(target)]
      let frame: JSONValue = ["t": "u", "m": .object(head), "p": data]
      return frame.text
    }
  }
}
