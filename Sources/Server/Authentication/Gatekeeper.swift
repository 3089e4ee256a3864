import HTTPTypes
import Hummingbird
import Machines
import Music
import Recording
import Rooms
import Signaling

/// Checks credentials: the only place of this module that examines keys and tokens. What they permit is decided by
/// `Authorisation`.
struct Gatekeeper: Sendable {
  private let keys: Keys?
  /// Signs and checks join tokens; nil without a join secret.
  let tokens: JoinTokens?
  private let isRevoked: @Sendable (TokenStamp) -> Bool
  private let now: @Sendable () -> WallTime
  /// Signs what this process makes for clients whose right another secret has proved.
  private let passes = JoinTokens(secret: Secret(JoinTokens.newID() + JoinTokens.newID()))

  init(
    keys: Keys?, isRevoked: @escaping @Sendable (TokenStamp) -> Bool,
    now: @escaping @Sendable () -> WallTime = { MonotonicClock.wall }
  ) {
    self.keys = keys
    self.isRevoked = isRevoked
    self.now = now
    tokens = keys?.joinSecret.map(JoinTokens.init)
  }

  /// True if no credentials are required.
  var isOpen: Bool { keys == nil }

  /// The meaning of `shown`, a join token or an API key.
  /// - Throws: `RoomRefusal` `.unauthorized`.
  func grant(for shown: String?, at door: Authorisation.Door) throws(RoomRefusal) -> Grant {
    guard let keys else { return .everything }
    guard let shown else {
      throw RoomRefusal(
        .unauthorized,
        door == .rest
          ? "this needs an API key, or a join token of the room: send the header Authorization: Bearer <key>"
          : "joining needs a join token; ask the operator of the service for one")
    }
    if keys.holds(shown) { return .everything }
    guard let tokens = door.givesPasses ? passes : tokens else {
      throw RoomRefusal(.unauthorized, "the API key is not one of this service's, and join tokens are disabled")
    }
    let token: JoinToken
    do throws(RoomRefusal) {
      token = try tokens.check(shown, at: now())
    } catch {
      guard door == .rest else { throw error }
      throw RoomRefusal(.unauthorized, "this is not one of the API keys, and as a join token: \(error.description)")
    }
    var stamp = try token.stamp()
    // A pass opens the door once more; how long its client may stay is a matter of the secret that it proved.
    if door.givesPasses { stamp.expiry = nil }
    guard !isRevoked(stamp) else {
      throw RoomRefusal(.unauthorized, "the join token has been revoked; get a new one")
    }
    return Grant(
      Principal(token.authority, in: stamp.room, token: stamp), name: token.name, identity: token.identity)
  }

  /// What has become of a token that no longer holds.
  enum Lapse: String, Sendable {
    case expired, withdrawn
  }

  /// Why a token that this service has signed does not hold any more; nil for any other credential.
  func lapse(of shown: String) -> Lapse? {
    guard let token = tokens?.claims(of: shown), let stamp = try? token.stamp() else { return nil }
    return isRevoked(stamp) ? .withdrawn : token.hasExpired(at: now()) ? .expired : nil
  }

  /// The token by which a client of a door that gives passes takes its seat; nil if the service is open.
  func pass(
    room: RoomName, name: DisplayName, subject: String, authority: Authority = .musician
  ) -> String? {
    guard keys != nil else { return nil }
    let now = now()
    let expiry = WallTime(milliseconds: now.milliseconds &+ Gatekeeper.passLife)
    return passes.make(
      room: room, name: name, role: authority, subject: subject, issued: now, expiry: expiry)
  }

  /// Life of a pass in milliseconds; it is used at once, and again if the socket breaks.
  private static let passLife: Int64 = 86_400_000

  /// What a secret that was found to be right proves; `shown` is nil only if the service is open.
  func credential(_ shown: String?) -> Credential {
    guard let keys, let shown else { return .open }
    return keys.holds(shown) ? .key : Credential(token: shown)
  }

  /// The key or token of an HTTP request, from wherever its door has it.
  static func shown(in request: Request, at door: Authorisation.Door) -> String? {
    if let shown = bearer(request.headers) { return shown }
    if door == .rest { return AccessCookie.credential(in: request.head) }
    return Doors.kind(of: door)?.credential(in: request)
  }

  /// Name and secret of `Authorization: Basic` (RFC 7617), or nil.
  static func basic(_ headers: HTTPFields) -> (name: String, secret: String?)? {
    let parts = headers[.authorization]?.split(separator: " ", maxSplits: 1) ?? []
    guard parts.count == 2, parts[0].lowercased() == "basic", let bytes = Base64.standard.decode(String(parts[1]))
    else {
      return nil
    }
    let pair = String(decoding: bytes, as: UTF8.self).split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    return pair.first.map { (String($0), pair.count == 2 ? String(pair[1]) : nil) }
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

/// Checked credentials of a client: what they permit, and whom they prove.
struct Grant: Hashable, Sendable {
  var principal: Principal
  /// The display name that the bearer must use, in whatever case and width; nil leaves it free.
  var name: String?
  /// The identity that they prove.
  var identity: String?

  init(_ principal: Principal, name: String? = nil, identity: String? = nil) {
    (self.principal, self.name, self.identity) = (principal, name, identity)
  }

  /// An API key, or a service without keys (on loopback or with --insecure).
  static let everything = Grant(.operator)
  /// No credentials.
  static let nothing = Grant(.stranger)

  /// The request as permitted by these credentials at a door, with the identity that they prove.
  ///
  /// - Parameters:
  ///   - address: the network address of the client.
  ///   - isNamed: false for a member whose name is not chosen by its client.
  /// - Throws: `RoomRefusal` `.forbidden` if the request exceeds them.
  func applied(
    to request: JoinRequest, in room: RoomName, at door: Authorisation.Door, address: String?, isNamed: Bool = true
  ) throws(RoomRefusal) -> JoinRequest {
    try Authorisation.check(principal, request.role.entering, on: .room(room), at: door)
    var request = request
    request.authority = principal.authority
    request.token = principal.token
    request.door = door
    request.address = address
    guard isNamed else { return request }
    if let name, name.foldedName != request.name.description.foldedName {
      throw RoomRefusal(
        .forbidden, "the join token is for the name \"\(name)\", not \"\(request.name)\"; join under that name")
    }
    request.identity = identity
    return request
  }
}
