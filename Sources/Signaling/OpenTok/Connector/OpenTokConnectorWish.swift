import Music

/// What an application wants of an Audio Connector: the body of `POST /v2/project/KEY/connect`.
package struct OpenTokConnectorWish: Hashable, Sendable {
  /// How the sound is sent.
  package enum Transport: Hashable, Sendable {
    /// 20 ms in a binary message.
    case binary
    /// 20 ms as Base64 in the member `field` of a JSON object, beside members that are always the same.
    case json(field: String, fixed: JSONObject)
  }

  /// The client's token by which the connector comes into the session.
  package var token: String
  /// `ws://` or `wss://`.
  package var uri: String
  /// Nil for all streams that there are at the start.
  package var streams: [OpenTokStreamID]?
  /// Streams that come later are heard too: our own option.
  package var hearsJoiners = false
  /// What the server sends back is a stream of the connection.
  package var isBidirectional = false
  /// Members that stand in every text message.
  package var headers: JSONObject
  package var transport = Transport.binary
  /// Samples a second, for each channel.
  package var rate = 16_000
  package var channels = 1

  /// The rates of samples: those of the vendor, and 48 kHz of our own.
  package static let rates = [8_000, 16_000, 24_000, 48_000]
  /// Most bytes of the headers, as the vendor's, and of the fixed members of JSON messages.
  private static let longestHeaders = 512
  private static let longestFixed = 4_096
  private static let longestText = 2_048
  private static let mostStreams = 50
  /// Members of text messages that headers cannot be.
  private static let ownMembers: Set<String> = ["content-type", "event", "method", "active", "reason"]

  /// Reads the body; unset members may be null.
  /// - Throws: `OpenTokRefusal` 400.
  package init(_ body: JSONObject) throws(OpenTokRefusal) {
    guard let token = body["token"]?.string, !token.isEmpty else {
      throw .badRequest("\"token\" is missing: a client's token, by which the connector comes into the session")
    }
    guard let options = body["websocket"]?.object else {
      throw .badRequest("\"websocket\" is missing: an object with the \"uri\" of a WebSocket server")
    }
    let uri = options["uri"]?.string ?? ""
    guard uri.hasPrefix("ws://") || uri.hasPrefix("wss://"), uri.utf8.count <= OpenTokConnectorWish.longestText else {
      throw .badRequest(
        "the \"uri\" of websocket is an address such as wss://app.example/sound, of at most "
          + "\(OpenTokConnectorWish.longestText) bytes")
    }
    (self.token, self.uri) = (token, uri)
    streams = try OpenTokConnectorWish.streams(options["streams"] ?? .null)
    headers = try OpenTokConnectorWish.headers(options["headers"] ?? .null)
    hearsJoiners = try OpenTokArchiveWish.flag(options, "joiners") ?? false
    guard streams == nil || !hearsJoiners else {
      throw .badRequest("streams and joiners exclude each other: name streams, or let everybody be heard")
    }
    isBidirectional = try OpenTokArchiveWish.flag(options, "bidirectional") ?? false
    if let rate = try OpenTokArchiveWish.number(options, "audioRate", in: 8_000...48_000) {
      guard OpenTokConnectorWish.rates.contains(Int(rate)) else {
        throw .badRequest("\"audioRate\" is one of 8000, 16000, 24000 and 48000")
      }
      self.rate = Int(rate)
    }
    channels = Int(try OpenTokArchiveWish.number(options, "channels", in: 1...2) ?? 1)
    transport = try OpenTokConnectorWish.transport(options["audioTransport"] ?? .null)
  }

  private static func streams(_ value: JSONValue) throws(OpenTokRefusal) -> [OpenTokStreamID]? {
    guard value != .null else { return nil }
    guard let list = value.array, list.count <= mostStreams else {
      throw .badRequest("\"streams\" is an array of the ids of at most \(mostStreams) streams")
    }
    var streams: [OpenTokStreamID] = []
    for item in list { streams.append(try OpenTokBodies.stream(item.string ?? item.text)) }
    return streams.isEmpty ? nil : streams
  }

  private static func headers(_ value: JSONValue) throws(OpenTokRefusal) -> JSONObject {
    guard value != .null else { return [:] }
    guard let headers = value.object else { throw .badRequest("\"headers\" is \(value.kind); it must be an object") }
    let size = JSONValue.object(headers).bytes.count
    guard size <= longestHeaders else {
      throw .badRequest("\"headers\" has \(size) bytes as JSON, \(longestHeaders) at most")
    }
    for member in headers.members where ownMembers.contains(member.name.lowercased()) {
      throw .badRequest("a header cannot be called \"\(member.name)\", which messages have themselves")
    }
    return headers
  }

  /// SDKs send it as JSON text within a string.
  private static func transport(_ value: JSONValue) throws(OpenTokRefusal) -> Transport {
    guard value != .null else { return .binary }
    let parsed = value.string.flatMap { try? JSONValue(parsing: Array($0.utf8)) } ?? value
    guard let object = parsed.object else {
      throw .badRequest("\"audioTransport\" is an object, or its JSON text, with \"transport\": \"binary\" or \"json\"")
    }
    switch object["transport"]?.string {
    case "binary": return .binary
    case "json":
      let encoding = object["encoding"] ?? .null
      guard encoding == .null || encoding == "base64" else {
        throw .badRequest("the \"encoding\" of audioTransport is base64")
      }
      guard let field = try OpenTokArchiveWish.text(object, "audio_field") else {
        throw .badRequest("audioTransport has no \"audio_field\": the member of the messages that has the sound")
      }
      let fixed = object["static_fields"] ?? .null
      guard let members = fixed == .null ? JSONObject() : fixed.object,
        fixed.bytes.count <= longestFixed, members[field] == nil
      else {
        throw .badRequest(
          "the \"static_fields\" of audioTransport is an object of at most \(longestFixed) bytes without \"\(field)\"")
      }
      return .json(field: field, fixed: members)
    default:
      throw .badRequest("the \"transport\" of audioTransport is binary or json")
    }
  }
}
