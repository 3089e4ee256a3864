/// A message of Raptor, OpenTok's protocol in Rumor's messages: `{"method":…,"uri":…,"content":…}`.
package struct RaptorMessage: Hashable, Sendable {
  /// What a client asks for, and what the service tells.
  package enum Method: String, Hashable, Sendable, CaseIterable {
    case create, read, update, delete
    case generateoffer, offer, answer, pranswer, candidate, signal
    case created, updated, deleted
  }

  package var method: Method
  package var place: RaptorPlace
  package var content: JSONObject
  /// Why something was deleted.
  package var reason: String?

  package init(_ method: Method, _ place: RaptorPlace, _ content: JSONObject = [:], reason: String? = nil) {
    (self.method, self.place, self.content, self.reason) = (method, place, content, reason)
  }

  /// - Throws: `OpenTokRefusal` 400 that says what is wrong.
  package init(parsing text: String, limits: JSONLimits) throws(OpenTokRefusal) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: text, limits: limits)
    } catch {
      throw .badRequest("the message is no JSON: \(error)")
    }
    guard let object = value.object, let word = object["method"]?.string, let uri = object["uri"]?.string else {
      throw .badRequest("a message of Raptor is {\"method\":…, \"uri\":…, \"content\":…}")
    }
    guard let method = Method(rawValue: word) else {
      throw .badRequest("there is no method \"\(word.prefix(32))\"")
    }
    guard let place = RaptorPlace(uri) else {
      throw .badRequest("\"\(uri.prefix(128))\" is not below /v2/partner/KEY/session/SESSION")
    }
    self.init(method, place, object["content"]?.object ?? [:], reason: object["reason"]?.string)
  }

  package var text: String {
    var object: JSONObject = [
      "method": .string(method.rawValue), "uri": .string(place.uri), "content": .object(content),
    ]
    if let reason { object["reason"] = .string(reason) }
    return JSONValue.object(object).text
  }
}

/// What a message is about: an address below `/v2/partner/<key>/session/<session>`.
package struct RaptorPlace: Hashable, Sendable {
  package enum Object: Hashable, Sendable {
    case session
    case connection(String)
    case stream(String)
    case channel(String, of: String)
    case subscriber(String, of: String)
    case subscriberChannel(String, of: String, stream: String)
    case signal(String, to: String?)
    case archive(String)
  }

  package var key: String
  package var session: String
  package var object: Object

  package init(key: String, session: String, _ object: Object = .session) {
    (self.key, self.session, self.object) = (key, session, object)
  }

  package init?(_ uri: String) {
    var parts = uri.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    if parts.last == "" { parts.removeLast() }
    guard parts.count >= 6, parts[0].isEmpty, parts[1] == "v2", parts[2] == "partner", parts[4] == "session",
      let object = RaptorPlace.object(Array(parts[6...]))
    else { return nil }
    self.init(key: parts[3], session: parts[5], object)
  }

  private static func object(_ tail: [String]) -> Object? {
    guard tail.count.isMultiple(of: 2) else { return nil }
    let names = stride(from: 0, to: tail.count, by: 2).map { tail[$0] }
    let ids = stride(from: 1, to: tail.count, by: 2).map { tail[$0] }
    guard ids.allSatisfy({ !$0.isEmpty }) else { return nil }
    return switch names {
    case []: .session
    case ["connection"]: .connection(ids[0])
    case ["stream"]: .stream(ids[0])
    case ["stream", "channel"]: .channel(ids[1], of: ids[0])
    case ["stream", "subscriber"]: .subscriber(ids[1], of: ids[0])
    case ["stream", "subscriber", "channel"]: .subscriberChannel(ids[2], of: ids[1], stream: ids[0])
    case ["signal"]: .signal(ids[0], to: nil)
    case ["connection", "signal"]: .signal(ids[1], to: ids[0])
    case ["archive"]: .archive(ids[0])
    default: nil
    }
  }

  package var uri: String {
    let tail =
      switch object {
      case .session: ""
      case .connection(let id): "/connection/\(id)"
      case .stream(let id): "/stream/\(id)"
      case .channel(let id, let stream): "/stream/\(stream)/channel/\(id)"
      case .subscriber(let id, let stream): "/stream/\(stream)/subscriber/\(id)"
      case .subscriberChannel(let id, let subscriber, let stream):
        "/stream/\(stream)/subscriber/\(subscriber)/channel/\(id)"
      case .signal(let id, to: let connection?): "/connection/\(connection)/signal/\(id)"
      case .signal(let id, to: nil): "/signal/\(id)"
      case .archive(let id): "/archive/\(id)"
      }
    return "/v2/partner/\(key)/session/\(session)\(tail)"
  }
}
