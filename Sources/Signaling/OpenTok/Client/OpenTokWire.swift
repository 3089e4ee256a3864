import Music

/// A channel of a stream: its sound or its picture.
struct OpenTokChannel: Hashable, Sendable {
  enum Kind: String, Hashable, Sendable {
    case audio, video
  }

  var id: String
  var kind: Kind

  /// Most channels of a stream, and bytes of a channel's id.
  static let most = 8
  static let longestID = 64

  /// The channels of a stream whose own are not known.
  static let standard = [OpenTokChannel(id: "audio1", kind: .audio)]

  /// The channels that a client names for its stream.
  /// - Throws: `OpenTokRefusal` 400.
  static func read(_ value: JSONValue?) throws(OpenTokRefusal) -> [OpenTokChannel] {
    let wrong = OpenTokRefusal.badRequest(
      "\"channel\" is an array of at most \(most) objects {\"id\":…, \"type\":\"audio\" or \"video\", \"active\":…}")
    guard let list = value?.array, list.count <= most else { throw wrong }
    var channels: [OpenTokChannel] = []
    for entry in list {
      guard let object = entry.object, let id = object["id"]?.string, !id.isEmpty, id.utf8.count <= longestID,
        !id.contains("/"), let kind = object["type"]?.string.flatMap(Kind.init(rawValue:))
      else { throw wrong }
      channels.append(OpenTokChannel(id: id, kind: kind))
    }
    return channels
  }

  /// Whether a list of channels, or changes of one, says that a kind of channel is active. SDKs write booleans as texts
  /// too.
  static func isActive(_ value: JSONValue?) -> Bool? {
    switch value {
    case .bool(let flag): flag
    case .string("true"): true
    case .string("false"): false
    default: nil
    }
  }
}

/// Objects of the session in Raptor's words.
enum OpenTokWire {
  static func connection(_ connection: OpenTokConnection, permissions: [String] = []) -> JSONObject {
    [
      "id": .string(connection.id.description), "creationTime": .integer(connection.createdAt.milliseconds),
      "data": .string(connection.data), "permissions": .array(permissions.map(JSONValue.string)),
    ]
  }

  /// A picture is announced as inactive: Jamjar passes sound on.
  static func stream(_ stream: OpenTokStream, channels: [OpenTokChannel]) -> JSONObject {
    let channel = channels.map { channel -> JSONValue in
      var object: JSONObject = ["id": .string(channel.id), "type": .string(channel.kind.rawValue)]
      object["active"] = .bool(channel.kind == .audio && stream.hasAudio)
      if channel.kind == .video { object["source"] = .string(stream.videoType) }
      return .object(object)
    }
    return [
      "id": .string(stream.id.description), "name": .string(stream.name),
      "creationTime": .integer(stream.createdAt.milliseconds),
      "connection": ["id": .string(stream.connection.description)], "channel": .array(channel),
    ]
  }

  /// One entry per address: clients of this generation read `url` only.
  static func iceServers(_ servers: [ICEServer]) -> JSONValue {
    .array(
      servers.flatMap { server in
        server.urls.map { url in
          [
            "url": .string(url), "urls": .string(url), "username": .optional(server.username),
            "credential": .optional(server.credential),
          ]
        }
      })
  }

  static func candidate(_ candidate: CandidateMessage) -> JSONObject {
    [
      "candidate": .string(candidate.candidate), "sdpMid": .string(candidate.mid ?? ""),
      "sdpMLineIndex": .integer(Int64(candidate.mLineIndex ?? 0)),
    ]
  }

  /// - Throws: `OpenTokRefusal` 400.
  static func candidate(_ content: JSONObject) throws(OpenTokRefusal) -> CandidateMessage {
    guard let text = content["candidate"]?.string else {
      throw .badRequest("a candidate is {\"candidate\":…, \"sdpMid\":…, \"sdpMLineIndex\":…}")
    }
    let mid = content["sdpMid"]?.string
    let index = content["sdpMLineIndex"]?.integer.flatMap(Int.init(exactly:))
    return CandidateMessage(candidate: text, mid: mid?.isEmpty == true ? nil : mid, mLineIndex: index)
  }

  /// - Throws: `OpenTokRefusal` 400.
  static func sdp(_ content: JSONObject) throws(OpenTokRefusal) -> String {
    guard let sdp = content["sdp"]?.string else {
      throw .badRequest("the content of an offer or answer is {\"sdp\":…}")
    }
    return sdp
  }
}

extension OpenTokToken.Role {
  /// What the client library calls the rights.
  var permissions: [String] {
    var all: [String] = []
    if mayPublish { all.append("publish") }
    if maySubscribe { all.append("subscribe") }
    if maySignal { all.append("signal") }
    if mayModerate { all += ["forceunpublish", "forcedisconnect", "forcemute"] }
    return all
  }
}

/// The display name of a client, from its token's connection data: applications put a user's name there.
package enum OpenTokClientName {
  private static let keys = ["name", "username", "userName", "displayName", "nickname", "user"]
  /// Most characters of a name that is taken from plain text.
  private static let longest = 40

  /// The name, and a number if several would have it.
  package static func make(
    of data: String, _ connection: OpenTokConnectionID, besides taken: Set<DisplayName>
  ) -> DisplayName? {
    let base = spoken(data).flatMap { DisplayName($0) } ?? DisplayName("guest-\(connection.description.prefix(4))")
    guard let base, taken.contains(base) else { return base }
    for number in 2...99 {
      let name = DisplayName("\(base.description.prefix(longest)) \(number)")
      if let name, !taken.contains(name) { return name }
    }
    return DisplayName("guest-\(connection)")
  }

  private static func spoken(_ data: String) -> String? {
    if data.hasPrefix("{") {
      guard let object = (try? JSONValue(parsing: data))?.object else { return nil }
      return keys.lazy.compactMap { object[$0]?.string }.first.map { String($0.prefix(longest)) }
    }
    for pair in data.split(whereSeparator: { $0 == "," || $0 == "&" || $0 == ";" || $0.isNewline }) {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let key = parts[0].drop { $0 == " " }
      if keys.contains(String(key)) { return String(parts[1].prefix(longest)) }
    }
    return data.contains("=") || data.count > longest || data.isEmpty ? nil : data
  }
}
