import Machines
import Music
import Recording
import Signaling

/// The claims of a join token: name, room, role and validity.
package struct JoinToken: Equatable {
  /// The room's name, or `JoinToken.everyRoom`.
  var room: String
  /// The display name that the bearer must use, in whatever case and width; nil leaves it free.
  var name: String?
  /// What it entitles to, of `Authority.inTokens`; the claim is `role`. A musician's token lets its bearer listen too.
  var authority: Authority
  /// End of validity, in seconds since 1970 (RFC 7519 section 4.1.4).
  var expiry: Double
  /// Start of validity (RFC 7519 section 4.1.5).
  var beginning: Double?
  /// The bearer's identity, if several people may use the same display name over time.
  var subject: String?
  /// The token's own identifier, by which it can be revoked (RFC 7519 section 4.1.7).
  var id: String?
  /// Time of issue (RFC 7519 section 4.1.6).
  var issued: Double?

  /// The `room` of a token for every room.
  static let everyRoom = TokenStamp.everyRoom
  /// Difference of the clocks of services and of programs that make tokens, in seconds.
  private static let clockTolerance = 60.0
  /// The permitted times: 1970 to 9999.
  private static let times = 0...253_402_300_799.0

  init(
    room: String, name: String? = nil, role: Authority, expiry: WallTime, subject: String? = nil, id: String? = nil,
    issued: WallTime? = nil
  ) {
    (self.room, self.name, authority, self.subject, self.id) = (room, name, role, subject, id)
    self.expiry = JoinToken.seconds(expiry)
    self.issued = issued.map(JoinToken.seconds)
  }

  /// Reads the claims of a JSON Web Token; nil if one is missing or has the wrong type.
  package init?(_ claims: JSONObject) {
    guard let room = claims["room"]?.string, let authority = claims["role"]?.string.flatMap(Authority.init(rawValue:)),
      Authority.inTokens.contains(authority),
      let expiry = claims["exp"]?.double, JoinToken.times.contains(expiry)
    else { return nil }
    (self.room, self.authority, self.expiry) = (room, authority, expiry)
    for (member, place) in [("name", \JoinToken.name), ("sub", \.subject), ("jti", \.id)] {
      guard let value = claims[member], value != .null else { continue }
      guard let text = value.string else { return nil }
      self[keyPath: place] = text
    }
    for (member, place) in [("nbf", \JoinToken.beginning), ("iat", \.issued)] {
      guard let value = claims[member] else { continue }
      guard let time = value.double, JoinToken.times.contains(time) else { return nil }
      self[keyPath: place] = time
    }
  }

  var claims: JSONObject {
    var claims: JSONObject = ["room": .string(room)]
    if let name { claims["name"] = .string(name) }
    claims["role"] = .string(authority.rawValue)
    claims["exp"] = .measure(expiry)
    if let beginning { claims["nbf"] = .measure(beginning) }
    if let subject { claims["sub"] = .string(subject) }
    if let id { claims["jti"] = .string(id) }
    if let issued { claims["iat"] = .measure(issued) }
    return claims
  }

  /// The identity that the token proves: the subject, otherwise the name, however it is written; nil for an anonymous
  /// token.
  var identity: String? {
    subject.map { "sub:\($0)" } ?? name.map { "\(Admission.namePrefix)\($0.foldedName)" }
  }

  /// The properties by which it ceases to hold, with the room that it opens.
  /// - Throws: `RoomRefusal` `.forbidden` if no room can have this name.
  func stamp() throws(RoomRefusal) -> TokenStamp {
    guard room != JoinToken.everyRoom else { return TokenStamp(id: id, room: nil, issued: issued, expiry: expiry) }
    guard let name = RoomName(room) else {
      throw RoomRefusal(.forbidden, "the join token has an invalid room name")
    }
    return TokenStamp(id: id, room: name, issued: issued, expiry: expiry)
  }

  package func hasExpired(at now: WallTime) -> Bool { JoinToken.seconds(now) >= expiry }

  package func hasBegun(at now: WallTime) -> Bool { beginning.map { JoinToken.seconds(now) >= $0 } ?? true }

  /// True if the time of issue lies further ahead than clocks of two machines may differ.
  func isFromTheFuture(at now: WallTime) -> Bool {
    // in range: both are floating-point seconds
    issued.map { $0 - JoinToken.seconds(now) > JoinToken.clockTolerance } ?? false
  }

  private static func seconds(_ time: WallTime) -> Double { Double(time.milliseconds) / 1e3 }
}

/// Signs and checks join tokens with one secret.
package struct JoinTokens: Sendable {
  private let key: Secret<[UInt8]>

  package init(secret: Secret<String>) {
    key = Secret(Array(secret.reveal().utf8))
  }

  /// Tells this secret from others; too short to check guesses of the secret by it.
  var mark: String { Base64.url.encode(Array(HMAC.sha256("invitations".utf8, key: key.reveal()).prefix(2))) }

  /// A token for `room` (nil: every room) until `expiry`.
  ///
  /// - Parameters:
  ///   - role: one of `Authority.inTokens`; another one makes a token that no service accepts.
  ///   - id: identifies the token if it has to be revoked.
  package func make(
    room: RoomName?, name: DisplayName? = nil, role: Authority = .musician, subject: String? = nil,
    id: String = JoinTokens.newID(), issued: WallTime = MonotonicClock.wall, expiry: WallTime
  ) -> String {
    let token = JoinToken(
      room: room?.description ?? JoinToken.everyRoom, name: name?.description, role: role, expiry: expiry,
      subject: subject, id: id, issued: issued)
    return JSONWebToken.sign(token.claims, key: key.reveal())
  }

  /// An identifier for a token: 128 random bits as hexadecimal digits.
  package static func newID() -> String {
    (0..<2).map { _ in
      let digits = String(UInt64.random(in: .min ... .max), radix: 16)
      // in range: 64 bits have 16 digits at most
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// The claims of `text` if the secret has signed it, even if they hold no longer; nil for anything else.
  func claims(of text: String) -> JoinToken? { JSONWebToken.verify(text, key: key.reveal()).flatMap(JoinToken.init) }

  /// The claims of `text`, checked at `now`.
  /// - Throws: `RoomRefusal` `.unauthorized`; its sentence distinguishes a wrong token from an expired one, nothing
  ///   more.
  func check(_ text: String, at now: WallTime) throws(RoomRefusal) -> JoinToken {
    guard let token = claims(of: text) else {
      throw RoomRefusal(
        .unauthorized, "the join token is not valid here; get one that this service's secret signed")
    }
    guard token.hasBegun(at: now) else { throw RoomRefusal(.unauthorized, "the join token is not valid yet") }
    guard !token.hasExpired(at: now) else {
      throw RoomRefusal(.unauthorized, "the join token has expired; get a new one")
    }
    // A revocation covers what was issued before it: a time to come would escape.
    guard !token.isFromTheFuture(at: now) else {
      throw RoomRefusal(
        .unauthorized,
        "the join token says that it was issued more than a minute from now; set the clock of the machine that made it")
    }
    return token
  }
}
