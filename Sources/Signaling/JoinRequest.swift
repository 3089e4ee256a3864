import Music

/// A request to enter a room.
package struct JoinRequest: Hashable, Sendable {
  package var name: DisplayName
  package var role: Role
  /// The instrument or voice.
  package var part: Part?
  /// False: heard by the others, never journaled.
  package var consents: Bool
  /// The secret from a former join of this seat, required to take over a seat that is still held.
  package var resumeSecret: String?
  /// The identity proved by a token.
  package var identity: String?
  /// The permissions of the credentials, independent of the requested role: an application without a seat may still run
  /// the recorder. The default is the permissions of the role.
  package var authority: Role
  package var link: LinkKind

  package init(
    name: DisplayName, role: Role = .musician, part: Part? = nil, consents: Bool = true, resumeSecret: String? = nil,
    identity: String? = nil, link: LinkKind = .live
  ) {
    self.name = name
    self.role = role
    self.part = part
    self.consents = consents
    self.resumeSecret = resumeSecret
    self.identity = identity
    authority = role
    self.link = link
  }
}

/// The kind of a member's signaling link, which decides when it counts as lost.
package enum LinkKind: Hashable, Sendable {
  /// A connection whose loss is noticed (WebSocket, RTMP): the seat is kept for the grace period from then on.
  case live
  /// A resource that stays until it is deleted (WHIP, WHEP, plain RTP): the seat is kept while media flows, and for the
  /// grace period after.
  case resource
}
