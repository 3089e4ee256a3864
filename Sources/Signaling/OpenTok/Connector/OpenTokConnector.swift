import Machines
import Music

/// An Audio Connector of OpenTok: a connection to a session that sends its sound to a WebSocket server. Pure.
package struct OpenTokConnector: Hashable, Sendable {
  /// Why it has ended.
  package enum Reason: String, Hashable, Sendable, CaseIterable {
    /// It has not.
    case none = ""
    /// By a moderator or the application's server.
    case kicked = "force disconnected"
    /// Everybody else has left.
    case sessionEnded = "session ended"
    case closedByServer = "closed by the WebSocket server"
    case lost = "connection lost"
    /// No sound could be made.
    case failure = "failure"
    /// The service ended.
    case systemFailure = "system failure"
  }

  /// One message on the WebSocket.
  package enum Message: Hashable, Sendable {
    case text(String)
    case binary([UInt8])
  }

  /// From the last leave of others to the end.
  private static let empty = MonotonicTime.Span.seconds(60)

  /// A UUID.
  package let id: String
  /// The project's key.
  package let project: String
  package let session: String
  package let connection: OpenTokConnectionID
  package let wish: OpenTokConnectorWish
  /// Where the sound goes, without path and query, which may be secrets.
  package let server: String
  package let createdAt: WallTime
  package private(set) var updatedAt: WallTime
  package private(set) var reason = Reason.none
  /// Whether something can be heard, as was told last.
  package private(set) var isActive = true
  /// Messages of sound that the server was too slow for.
  package var lostMessages: Int64 = 0
  private var emptySince: MonotonicTime?

  package init(
    id: String, session: OpenTokSessionID, connection: OpenTokConnectionID, wish: OpenTokConnectorWish,
    server: String, wall: WallTime
  ) {
    (self.id, project, self.session) = (id, session.key, session.description)
    (self.connection, self.wish, self.server) = (connection, wish, server)
    (createdAt, updatedAt) = (wall, wall)
  }

  package var isLive: Bool { reason == .none }

  /// Notes whether others than connectors are in the session.
  /// - Returns: true if it is to end now.
  package mutating func look(isOccupied: Bool, at now: MonotonicTime) -> Bool {
    emptySince = isOccupied ? nil : emptySince ?? now
    return isLive && emptySince.map { now - $0 >= OpenTokConnector.empty } ?? false
  }

  /// Notes whether something can be heard.
  /// - Returns: the message that says so, if that is news.
  package mutating func hear(_ isActive: Bool) -> Message? {
    guard isLive, self.isActive != isActive else { return nil }
    self.isActive = isActive
    return message("websocket:media:update", ["method": "update", "active": .bool(isActive)])
  }

  /// - Returns: the last message; nil if it has ended before.
  package mutating func end(_ reason: Reason, at time: WallTime) -> Message? {
    guard isLive else { return nil }
    self.reason = reason
    updatedAt = max(updatedAt, time)
    return message("websocket:disconnected", ["method": "delete", "reason": .string(reason.rawValue)])
  }

  // MARK: Messages

  /// The first message.
  package var greeting: Message { message("websocket:connected", [:]) }

  private func message(_ event: String, _ more: JSONObject) -> Message {
    let channels = wish.channels == 1 ? "" : ";channels=\(wish.channels)"
    var object: JSONObject = [
      "content-type": .string("audio/l16;rate=\(wish.rate)\(channels)"), "event": .string(event),
    ]
    for member in more.members + wish.headers.members { object[member.name] = member.value }
    return .text(JSONValue.object(object).text)
  }

  /// 20 ms of sound.
  package static func message(_ sound: [UInt8], by transport: OpenTokConnectorWish.Transport) -> Message {
    switch transport {
    case .binary: return .binary(sound)
    case .json(let field, var object):
      object[field] = .string(Base64.standard.encode(sound))
      return .text(JSONValue.object(object).text)
    }
  }

  /// The sound of a message that the server sends, in the same form; nil if it has none.
  package static func sound(of message: Message, by transport: OpenTokConnectorWish.Transport) -> [UInt8]? {
    switch (message, transport) {
    case (.binary(let bytes), .binary): return bytes
    case (.text(let text), .json(let field, _)):
      let object = (try? JSONValue(parsing: Array(text.utf8)))?.object
      return object?[field]?.string.flatMap { Base64.standard.decode($0[...]) }
    default: return nil
    }
  }

  // MARK: JSON

  /// What a start is answered with.
  package var answer: JSONValue {
    ["id": .string(id), "connectionId": .string(connection.description), "bidirectional": .bool(wish.isBidirectional)]
  }

  /// All of it, for our own reading calls.
  package var json: JSONValue {
    let key: JSONValue = Int64(project).map { .integer($0) } ?? .string(project)
    return [
      "id": .string(id), "connectionId": .string(connection.description), "sessionId": .string(session),
      "projectId": key, "createdAt": .integer(createdAt.milliseconds), "updatedAt": .integer(updatedAt.milliseconds),
      "status": isLive ? "connected" : "disconnected", "reason": .string(reason.rawValue), "server": .string(server),
      "audioRate": .integer(Int64(wish.rate)), "channels": .integer(Int64(wish.channels)),
      "active": .bool(isLive && isActive),
      "bidirectional": .bool(wish.isBidirectional), "lostMessages": .integer(lostMessages),
    ]
  }
}
