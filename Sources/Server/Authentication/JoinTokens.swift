import Foundation
import JWTKit
import Music
import Signaling

/// Makes and checks join tokens with one secret: JSON Web Tokens (RFC 7519) signed by HS256, and by nothing else.
package struct JoinTokens: Sendable {
  /// Longest token that is looked at, in bytes; ours have about 250.
  static let maximumBytes = 4_096
  private static let algorithm = "HS256"

  private let keys = JWTKeyCollection()

  package init(secret: Secret<String>) async {
    await keys.add(hmac: HMACKey(from: secret.reveal()), digestAlgorithm: .sha256)
  }

  /// A token for `room` (nil: every room) until `expiry`.
  package func make(
    room: RoomName?, name: DisplayName? = nil, role: Role = .musician, subject: String? = nil, expiry: WallTime
  ) async throws -> String {
    let token = JoinToken(
      room: room?.description ?? JoinToken.everyRoom, name: name?.description, role: role,
      exp: ExpirationClaim(value: Date(timeIntervalSince1970: Double(expiry.milliseconds) / 1e3)),
      sub: subject.map(SubjectClaim.init(value:)))
    return try await keys.sign(token)
  }

  /// What `text` grants at `now`.
  /// - Throws: `RoomRefusal` `.unauthorized`, whose sentence tells a wrong token from an expired one and nothing more.
  func check(_ text: String, at now: WallTime) async throws(RoomRefusal) -> JoinToken {
    let wrong = RoomRefusal(
      .unauthorized, "the join token is not valid here; get one that this service's secret signed")
    guard text.utf8.count <= JoinTokens.maximumBytes else { throw wrong }
    let token: JoinToken
    do {
      // The header may not choose how its own signature is checked (RFC 8725 section 3.1).
      guard try algorithm(of: text) == JoinTokens.algorithm else { throw wrong }
      token = try await keys.verify(text, as: JoinToken.self)
    } catch {
      throw wrong
    }
    let current = Date(timeIntervalSince1970: Double(now.milliseconds) / 1e3)
    guard current < token.exp.value else {
      throw RoomRefusal(.unauthorized, "the join token has expired; get a new one")
    }
    return token
  }

  private func algorithm(of text: String) throws -> String? {
    try DefaultJWTParser().parse(Array(text.utf8), as: JoinToken.self).header.alg
  }
}
