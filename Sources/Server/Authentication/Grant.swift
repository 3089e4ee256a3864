import Music
import Signaling

/// What somebody showed at the door.
enum Grant: Hashable, Sendable {
  /// The service has no keys: it stands open (on loopback, or because somebody said --insecure).
  case open
  /// An API key: everything.
  case key
  /// A join token.
  case token(name: String?, role: Role, identity: String?)

  /// What may be done with it, whatever place in a room is taken.
  var authority: Role {
    guard case .token(_, let role, _) = self else { return .musician }
    return role
  }

  /// The request as this grant allows it, with the identity that it proves.
  /// - Throws: `RoomRefusal` `.forbidden` where the request wants more than the grant gives.
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
