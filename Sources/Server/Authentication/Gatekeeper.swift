import HTTPTypes
import Music
import Recording
import Rooms
import Signaling

/// Decides all permissions: the only place of this module that examines keys and tokens.
struct Gatekeeper: Sendable {
  private let keys: Keys?
  private let tokens: JoinTokens?
  private let now: @Sendable () -> WallTime

  init(keys: Keys?, now: @escaping @Sendable () -> WallTime = { MonotonicClock.wall }) {
    self.keys = keys
    self.now = now
    tokens = keys?.joinSecret.map(JoinTokens.init)
  }

  /// True if no credentials are required.
  var isOpen: Bool { keys == nil }

  /// Checks a REST request, which needs an API key if the service has keys.
  func checkKey(_ headers: HTTPFields) throws(RoomRefusal) {
    guard let keys else { return }
    guard let shown = Gatekeeper.bearer(headers) else {
      throw RoomRefusal(.unauthorized, "this needs an API key: send the header Authorization: Bearer <key>")
    }
    guard keys.holds(shown) else {
      throw RoomRefusal(.unauthorized, "the API key is not one of this service's")
    }
  }

  /// The permissions of a REST request, from the key or token in its header field or in the studio's cookie.
  /// - Throws: `RoomRefusal` `.unauthorized` or `.forbidden`.
  func access(of request: HTTPRequest) throws(RoomRefusal) -> Access {
    guard let keys else { return .everything }
    guard let shown = Gatekeeper.shown(in: request) else {
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
      throw RoomRefusal(.unauthorized, "this is not one of the API keys, and as a join token: \(error.description)")
    }
    if token.room == JoinToken.everyRoom { return .room(nil, token.role) }
    guard let room = try? RoomName(checking: token.room) else {
      throw RoomRefusal(.forbidden, "the join token has an invalid room name")
    }
    return .room(room, token.role)
  }

  /// The grant of `shown` (a join token or an API key) in `room`.
  /// - Throws: `RoomRefusal` `.unauthorized` or `.forbidden`.
  func grant(for room: RoomName, shown: String?) throws(RoomRefusal) -> Grant {
    guard let keys else { return .open }
    guard let shown else {
      throw RoomRefusal(.unauthorized, "joining needs a join token; ask the operator of the service for one")
    }
    if keys.holds(shown) { return .key }
    guard let tokens else {
      throw RoomRefusal(.unauthorized, "the API key is not one of this service's, and join tokens are disabled")
    }
    let token = try tokens.check(shown, at: now())
    guard token.admits(to: room) else {
      throw RoomRefusal(.forbidden, "the join token is for another room than \"\(room)\"")
    }
    return .token(name: token.name, role: token.role, identity: token.identity)
  }

  /// What a secret that was found to be right proves; `shown` is nil only if the service is open.
  func credential(_ shown: String?) -> Credential {
    guard let keys, let shown else { return .open }
    return keys.holds(shown) ? .key : Credential(token: shown)
  }

  /// The key or token of a REST request: in its header field, or in the studio's cookie.
  static func shown(in request: HTTPRequest) -> String? {
    bearer(request.headerFields) ?? AccessCookie.credential(in: request)
  }

  /// The token of `Authorization: Bearer <token>` (RFC 6750 section 2.1), or nil.
  static func bearer(_ headers: HTTPFields) -> String? {
    guard let field = headers[.authorization] else { return nil }
    let parts = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    let token = String(parts[1]).trimmed
    return token.isEmpty ? nil : token
  }
}

/// The credentials presented by a client.
enum Grant: Hashable, Sendable {
  /// The service has no keys: it is open (on loopback or with --insecure).
  case open
  /// An API key: everything.
  case key
  /// A join token.
  case token(name: String?, role: Role, identity: String?)

  /// The permissions of this grant, independent of any seat in a room.
  var authority: Role {
    guard case .token(_, let role, _) = self else { return .musician }
    return role
  }

  /// The request as allowed by this grant, with the identity that the grant proves.
  /// - Throws: `RoomRefusal` `.forbidden` if the request exceeds the grant.
  func applied(to request: JoinRequest) throws(RoomRefusal) -> JoinRequest {
    var request = request
    request.authority = authority
    guard case .token(let name, let role, let identity) = self else { return request }
    if let name, name != request.name.description {
      throw RoomRefusal(
        .forbidden, "the join token is for the name \"\(name)\", not \"\(request.name)\"; join under that name")
    }
    guard role == .musician || request.role == role else {
      throw RoomRefusal(.forbidden, "the join token is for a \(role.rawValue), not for a \(request.role.rawValue)")
    }
    request.identity = identity
    return request
  }
}

/// The permissions of a REST request by its credentials.
enum Access: Hashable, Sendable {
  /// The service is open, or the request has an API key.
  case everything
  /// The request has a join token: access to its room, or to all rooms if it names none.
  case room(RoomName?, Role)

  /// The only visible room, nil for all.
  var onlyRoom: RoomName? {
    guard case .room(let room, _) = self else { return nil }
    return room
  }

  func admits(to room: RoomName) -> Bool { onlyRoom.map { $0 == room } ?? true }
}

/// Access by join token over REST: hearing and editing the takes of its room, as a musician's page needs it.
enum TokenScope: Hashable, Sendable {
  /// Any token: the resource itself compares the object's room with the token's. An unguessable identifier is not a
  /// permission, because it appears in logs, events and other people's lists.
  case anyToken
  /// A token for the room in the path.
  case room(String)
  /// A token for the room of this take.
  case take(String)
  /// An API key only.
  case key

  /// - Parameters:
  ///   - path: the pieces of the path, percent-decoded, without the empty first one.
  ///   - take: the query's parameter `take`.
  static func needed(for method: HTTPRequest.Method, _ path: [String], take: String?) -> TokenScope {
    guard path.first == "v1", path.count > 1 else { return .key }
    let reads = isReading(method)
    switch (path[1], path.count) {
    case ("rooms", 2), ("takes", 2), ("songs", 2), ("songs", 3), ("events", 2): return reads ? .anyToken : .key
    case ("rooms", 3): return reads ? .room(path[2]) : .key
    case ("rooms", _) where path[3] == "objects" && reads: return .room(path[2])
    case ("rooms", 4) where path[3] == "takes": return .room(path[2])
    case ("takes", 3) where path[2] == "bulk" || method == .delete: return .key
    case ("takes", 4) where path[3] == "restore": return .key
    case ("takes", _): return .take(path[2])
    case ("exports", 2): return take.map(TokenScope.take) ?? .key
    case ("exports", _), ("backups", 3): return .anyToken
    default: return .key
    }
  }

  /// Whether a listener's token is enough.
  static func isReading(_ method: HTTPRequest.Method) -> Bool { [.get, .head, .options].contains(method) }
}

/// The key or token that the web studio keeps in a cookie, so that downloads and players send it too.
///
/// The page sets it with `SameSite=Strict`: pages of other sites cannot make a browser send it. For pages of the same
/// site on another port or host, the check of the origin refuses every request that changes something.
enum AccessCookie {
  static let name = "jamjar-access"

  /// Nil without a cookie, or if a foreign page sent the request.
  static func credential(in request: HTTPRequest) -> String? {
    let pairs = request.headerFields[values: .cookie].flatMap { $0.split(separator: ";") }
    guard let pair = pairs.map({ String($0).trimmed }).first(where: { $0.hasPrefix(name + "=") }),
      let credential = String(pair.dropFirst(name.count + 1)).percentDecoded, !credential.isEmpty
    else { return nil }
    if !TokenScope.isReading(request.method) {
      guard let origin = request.headerFields[.origin], let scheme = origin.firstRange(of: "://"),
        let authority = request.authority, origin[scheme.upperBound...] == authority
      else { return nil }
    }
    return credential
  }
}
