import Music

/// A wish to enter a room.
package struct JoinRequest: Hashable, Sendable {
  package var name: DisplayName
  package var role: Role
  /// The instrument or voice.
  package var part: Part?
  /// False: heard by the others, never journaled.
  package var consents: Bool
  /// The secret that a former join of this seat was given; taking a living seat over needs it.
  package var resumeSecret: String?
  /// The identity that a token proved.
  package var identity: String?
  /// What the credentials allow, whatever place is asked for: an application that takes no seat may still run the
  /// recorder. By itself no more than what the place does.
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
