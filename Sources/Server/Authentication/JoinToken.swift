import Foundation
import JWTKit
import Music

/// The claims of a join token: who may come into which room, as what, and until when.
struct JoinToken: JWTPayload, Equatable {
  /// The room's name, or `JoinToken.everyRoom`.
  var room: String
  /// The display name that the bearer has to use; nil leaves the choice to them.
  var name: String?
  /// A musician's token lets its bearer listen too.
  var role: Role
  var exp: ExpirationClaim
  /// Who the bearer is, where two people may share a display name over time.
  var sub: SubjectClaim?

  /// The `room` of a token for every room.
  static let everyRoom = "*"

  /// What the token proves about its bearer: the subject, or else the name; nil for a token for anybody.
  var identity: String? {
    if let sub { return "sub:\(sub.value)" }
    return name.map { "name:\($0)" }
  }

  func admits(to room: RoomName) -> Bool {
    self.room == JoinToken.everyRoom || self.room == room.description
  }

  /// Expiry is checked by `JoinTokens`, which is told what time it is.
  func verify(using algorithm: some JWTAlgorithm) async throws {}
}
