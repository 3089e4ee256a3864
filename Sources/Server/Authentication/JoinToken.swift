import Machines
import Music
import Signaling

/// The claims of a join token: name, room, role and validity.
package struct JoinToken: Equatable {
  /// The room's name, or `JoinToken.everyRoom`.
  var room: String
  /// The display name that the bearer must use; nil leaves it free.
  var name: String?
  /// A musician's token lets its bearer listen too.
  var role: Role
  /// End of validity, in seconds since 1970 (RFC 7519 section 4.1.4).
  var expiry: Double
  /// Start of validity (RFC 7519 section 4.1.5).
  var beginning: Double?
  /// The bearer's identity, if several people may use the same display name over time.
  var subject: String?

  /// The `room` of a token for every room.
  static let everyRoom = "*"
  /// The permitted times: 1970 to 9999.
  private static let times = 0...253_402_300_799.0

  init(room: String, name: String? = nil, role: Role, expiry: WallTime, subject: String? = nil) {
    (self.room, self.name, self.role, self.subject) = (room, name, role, subject)
    self.expiry = JoinToken.seconds(expiry)
  }

  /// Reads the claims of a JSON Web Token; nil if one is missing or has the wrong type.
  package init?(_ claims: JSONObject) {
    guard let room = claims["room"]?.string, let role = claims["role"]?.string.flatMap(Role.init),
      let expiry = claims["exp"]?.double, JoinToken.times.contains(expiry)
    else { return nil }
    (self.room, self.role, self.expiry) = (room, role, expiry)
    for (member, place) in [("name", \JoinToken.name), ("sub", \.subject)] {
      guard let value = claims[member], value != .null else { continue }
      guard let text = value.string else { return nil }
      self[keyPath: place] = text
    }
    if let value = claims["nbf"] {
      guard let time = value.double, JoinToken.times.contains(time) else { return nil }
      beginning = time
    }
  }

  var claims: JSONObject {
    var claims: JSONObject = ["room": .string(room)]
    if let name { claims["name"] = .string(name) }
    claims["role"] = .string(role.rawValue)
    claims["exp"] = .measure(expiry)
    if let beginning { claims["nbf"] = .measure(beginning) }
    if let subject { claims["sub"] = .string(subject) }
    return claims
  }

  /// The identity that the token proves: the subject, otherwise the name; nil for an anonymous token.
  var identity: String? { subject.map { "sub:\($0)" } ?? name.map { "name:\($0)" } }

  func admits(to room: RoomName) -> Bool {
    self.room == JoinToken.everyRoom || self.room == room.description
  }

  package func hasExpired(at now: WallTime) -> Bool { JoinToken.seconds(now) >= expiry }

  package func hasBegun(at now: WallTime) -> Bool { beginning.map { JoinToken.seconds(now) >= $0 } ?? true }

  private static func seconds(_ time: WallTime) -> Double { Double(time.milliseconds) / 1e3 }
}

/// Signs and checks join tokens with one secret.
package struct JoinTokens: Sendable {
  private let key: Secret<[UInt8]>

  package init(secret: Secret<String>) {
    key = Secret(Array(secret.reveal().utf8))
  }

  /// A token for `room` (nil: every room) until `expiry`.
  package func make(
    room: RoomName?, name: DisplayName? = nil, role: Role = .musician, subject: String? = nil, expiry: WallTime
  ) -> String {
    let token = JoinToken(
      room: room?.description ?? JoinToken.everyRoom, name: name?.description, role: role, expiry: expiry,
      subject: subject)
    return JSONWebToken.sign(token.claims, key: key.reveal())
  }

  /// The claims of `text`, checked at `now`.
  /// - Throws: `RoomRefusal` `.unauthorized`; its sentence distinguishes a wrong token from an expired one, nothing
  ///   more.
  func check(_ text: String, at now: WallTime) throws(RoomRefusal) -> JoinToken {
    guard let token = JSONWebToken.verify(text, key: key.reveal()).flatMap(JoinToken.init) else {
      throw RoomRefusal(
        .unauthorized, "the join token is not valid here; get one that this service's secret signed")
    }
    guard token.hasBegun(at: now) else { throw RoomRefusal(.unauthorized, "the join token is not valid yet") }
    guard !token.hasExpired(at: now) else {
      throw RoomRefusal(.unauthorized, "the join token has expired; get a new one")
    }
    return token
  }
}
