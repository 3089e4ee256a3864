import HTTPTypes
import Music
import Rooms
import Signaling

/// Decides who may do what: the one place of this module that looks at keys and tokens.
struct Gatekeeper: Sendable {
  private let keys: Keys?
  private let tokens: JoinTokens?
  private let now: @Sendable () -> WallTime

  init(keys: Keys?, now: @escaping @Sendable () -> WallTime = { MonotonicClock.wall }) {
    self.keys = keys
    self.now = now
    tokens = keys?.joinSecret.map(JoinTokens.init)
  }

  /// True where nobody needs to show anything.
  var isOpen: Bool { keys == nil }

  /// Lets a REST request pass, which needs an API key where there are keys.
  func checkKey(_ headers: HTTPFields) throws(RoomRefusal) {
    guard let keys else { return }
    guard let shown = Gatekeeper.bearer(headers) else {
      throw RoomRefusal(.unauthorized, "this needs an API key: send the header Authorization: Bearer <key>")
    }
    guard keys.holds(shown) else {
      throw RoomRefusal(.unauthorized, "the API key is not one of this service's")
    }
  }

  /// What a REST request may see and do by the key or token that it shows, in a header field or in the studio's cookie.
  /// - Throws: `RoomRefusal` `.unauthorized` or `.forbidden`.
  func admission(of request: HTTPRequest) throws(RoomRefusal) -> Admission {
    guard let keys else { return .everything }
    guard let shown = Gatekeeper.bearer(request.headerFields) ?? AccessCookie.credential(in: request) else {
      throw RoomRefusal(
        .unauthorized, "this needs an API key, or a join token of the room: send the header Authorization: Bearer <key>"
      )
    }
    if keys.holds(shown) { return .everything }
    guard let tokens else { throw RoomRefusal(.unauthorized, "the API key is not one of this service's") }
    let token: JoinToken
    do {
      token = try tokens.check(shown, at: now())
    } catch {
      throw RoomRefusal(.unauthorized, "this is no API key of this service, and as a join token: \(error.description)")
    }
    if token.room == JoinToken.everyRoom { return .room(nil, token.role) }
    guard let room = try? RoomName(checking: token.room) else {
      throw RoomRefusal(.forbidden, "the join token names a room that there cannot be")
    }
    return .room(room, token.role)
  }

  /// What `shown` (a join token or an API key) allows in `room`.
  /// - Throws: `RoomRefusal` `.unauthorized` or `.forbidden`.
  func grant(for room: RoomName, shown: String?) throws(RoomRefusal) -> Grant {
    guard let keys else { return .open }
    guard let shown else {
      throw RoomRefusal(.unauthorized, "joining needs a join token; whoever runs the service makes them")
    }
    if keys.holds(shown) { return .key }
    guard let tokens else {
      throw RoomRefusal(.unauthorized, "the API key is not one of this service's, and it takes no join tokens")
    }
    let token = try tokens.check(shown, at: now())
    guard token.admits(to: room) else {
      throw RoomRefusal(.forbidden, "the join token is for another room than \"\(room)\"")
    }
    return .token(name: token.name, role: token.role, identity: token.identity)
  }

  /// The token of `Authorization: Bearer <token>` (RFC 6750 section 2.1), nil where there is none.
  static func bearer(_ headers: HTTPFields) -> String? {
    guard let field = headers[.authorization] else { return nil }
    let parts = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    let token = String(parts[1]).trimmed
    return token.isEmpty ? nil : token
  }
}
