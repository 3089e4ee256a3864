import Machines
import Music

/// The bodies of requests about sessions, and of the answers.
package enum OpenTokBodies {
  /// Most streams that one request names.
  private static let mostStreams = 1_000
  /// Most classes of one stream, and their length in characters.
  private static let mostClasses = 64
  private static let longestClass = 64

  /// The object of a body, which may be empty.
  /// - Throws: `OpenTokRefusal` 400.
  package static func object(_ bytes: [UInt8]) throws(OpenTokRefusal) -> JSONObject {
    guard bytes.contains(where: { $0 > 0x20 }) else { return JSONObject() }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: bytes)
    } catch {
      throw .badRequest("the body is not acceptable JSON: \(error.description)")
    }
    guard let object = value.object else { throw .badRequest("the body is \(value.kind); it must be a JSON object") }
    return object
  }

  // MARK: Requests

  /// `{type?, data}`; null is nothing.
  /// - Throws: `OpenTokRefusal` 400, 413.
  package static func signal(
    _ body: JSONObject, to connection: OpenTokConnectionID?
  ) throws(OpenTokRefusal) -> OpenTokSignal {
    let type = body["type"] ?? .null
    guard type == .null || type.string != nil else {
      throw .badRequest("\"type\" is \(type.kind); it must be a string")
    }
    guard let data = body["data"] else { throw .badRequest("\"data\" is missing: the text of the signal") }
    guard let text = data.string else { throw .badRequest("\"data\" is \(data.kind); it must be a string") }
    return try OpenTokSignal(type: type.string.flatMap { $0.isEmpty ? nil : $0 }, data: text, to: connection)
  }

  /// `{active, excludedStreams?}`; the Ruby SDK sends the truth as a string.
  /// - Throws: `OpenTokRefusal` 400.
  package static func mute(
    _ body: JSONObject
  ) throws(OpenTokRefusal) -> (isActive: Bool, excluded: [OpenTokStreamID]) {
    guard let isActive = truth(body["active"] ?? .null) else {
      throw .badRequest("\"active\" is true (everybody is silenced, and newcomers start muted) or false (no longer)")
    }
    let excluded = body["excludedStreams"] ?? .null
    guard excluded == .null || excluded.array != nil else {
      throw .badRequest("\"excludedStreams\" is \(excluded.kind); it must be an array of stream ids")
    }
    let values = excluded.array ?? []
    guard values.count <= mostStreams else {
      throw .badRequest("\"excludedStreams\" names \(values.count) streams, \(mostStreams) at most")
    }
    var streams: [OpenTokStreamID] = []
    for value in values { streams.append(try stream(value.string ?? value.text)) }
    return (isActive, streams)
  }

  /// True or false, also as a string.
  package static func truth(_ value: JSONValue) -> Bool? {
    value.bool ?? value.string.flatMap { $0 == "true" ? true : $0 == "false" ? false : nil }
  }

  /// `{items: [{id, layoutClassList}]}`.
  /// - Throws: `OpenTokRefusal` 400.
  package static func classes(_ body: JSONObject) throws(OpenTokRefusal) -> [OpenTokStreamID: [String]] {
    guard let items = body["items"]?.array, items.count <= mostStreams else {
      throw .badRequest("\"items\" is missing: an array of {\"id\": STREAM, \"layoutClassList\": [CLASS, …]}")
    }
    var classes: [OpenTokStreamID: [String]] = [:]
    for item in items {
      guard let id = item.object?["id"]?.string, let list = item.object?["layoutClassList"]?.array else {
        throw .badRequest("an item has no \"id\", or no array \"layoutClassList\"")
      }
      let words = list.compactMap(\.string)
      guard words.count == list.count, words.count <= mostClasses,
        words.allSatisfy({ !$0.isEmpty && $0.unicodeScalars.count <= longestClass })
      else {
        throw .badRequest(
          "a \"layoutClassList\" has at most \(mostClasses) strings of 1 to \(longestClass) characters")
      }
      classes[try stream(id)] = words
    }
    return classes
  }

  /// - Throws: `OpenTokRefusal` 400 for what is no id.
  package static func stream(_ text: String) throws(OpenTokRefusal) -> OpenTokStreamID {
    guard let id = OpenTokStreamID(text) else {
      throw .badRequest("\"\(text.shortened(to: 64))\" is no stream id; GET …/stream lists them")
    }
    return id
  }

  /// - Throws: `OpenTokRefusal` 400 for what is no id.
  package static func connection(_ text: String) throws(OpenTokRefusal) -> OpenTokConnectionID {
    guard let id = OpenTokConnectionID(text) else {
      throw .badRequest("\"\(text.shortened(to: 64))\" is no connection id; GET …/connection lists them")
    }
    return id
  }

  // MARK: Answers

  package static func stream(_ stream: OpenTokStream) -> JSONValue {
    [
      "id": .string(stream.id.description), "videoType": .string(stream.videoType), "name": .string(stream.name),
      "layoutClassList": .array(stream.layoutClasses.map { .string($0) }),
    ]
  }

  /// - Parameter state: nil if nobody is in the session.
  package static func streams(_ state: OpenTokSessionState?) -> JSONValue {
    list(state?.streams.map(stream) ?? [])
  }

  /// - Parameter state: nil if nobody is in the session.
  package static func connections(_ state: OpenTokSessionState?, of session: OpenTokSessionID) -> JSONValue {
    let items = (state?.connections ?? []).map { connection in
      [
        "connectionId": .string(connection.id.description), "createdAt": .integer(connection.createdAt.milliseconds),
        "connectionState": connection.isConnected ? "Connected" : "Disconnected",
      ] as JSONValue
    }
    return [
      "count": .integer(Int64(items.count)), "projectId": .string(session.key),
      "sessionId": .string(session.description), "items": .array(items),
    ]
  }

  package static func list(_ items: [JSONValue]) -> JSONValue {
    ["count": .integer(Int64(items.count)), "items": .array(items)]
  }

  /// The answer to a mute.
  /// - Parameter start: when the service began: projects stand in its settings.
  package static func project(_ project: OpenTokProject, since start: WallTime) -> JSONValue {
    [
      "id": .string(project.key), "name": .string(project.name), "status": "ACTIVE", "environment": "standard",
      "createdAt": .integer(start.milliseconds),
    ]
  }
}
