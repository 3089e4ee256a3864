import Music
import Signaling

/// Makes and checks join tokens with one secret.
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

  /// What `text` grants at `now`.
  /// - Throws: `RoomRefusal` `.unauthorized`, whose sentence tells a wrong token from an expired one and nothing more.
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
