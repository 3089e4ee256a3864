import Music

/// A request to enter a room.
package struct JoinRequest: Hashable, Sendable {
  package var name: DisplayName
  package var role: Role
  /// The instrument or voice.
  package var part: Part?
  /// What the member's app says of them for the others' apps, which nobody here reads (`TextKind.meta`).
  package var meta: String?
  /// False: heard by the others, never journaled.
  package var consents: Bool
  /// The secret from a former join of this seat, required to take over a seat that is still held.
  package var resumeSecret: String?
  /// The identity proved by a token.
  package var identity: String?
  /// The authority of the credentials, independent of the requested role: an application without a seat may still run
  /// the recorder. By default, what the role needs.
  package var authority: Authority
  /// The join token shown, if any.
  package var token: TokenStamp?
  /// The door by which the member comes in.
  package var door: Authorisation.Door
  /// The client's network address; a lost seat without a proven identity is only given back to the same one.
  package var address: String?
  package var link: LinkKind
  /// The kind of server from which a bot brings this member, for the journal: "bot-janus"; nil for everybody else.
  package var origin: String?
  /// True if, in a mesh room, the client makes its connection with another one of its kind itself (a call of Remote
  /// Monster; clients of XirSys always do).
  package var makesPairs = false

  package init(
    name: DisplayName, role: Role = .musician, part: Part? = nil, meta: String? = nil, consents: Bool = true,
    resumeSecret: String? = nil, identity: String? = nil, door: Authorisation.Door = .native, address: String? = nil,
    link: LinkKind = .live
  ) {
    self.name = name
    self.role = role
    self.part = part
    self.meta = meta
    self.consents = consents
    self.resumeSecret = resumeSecret
    self.identity = identity
    authority = Authority(role)
    self.door = door
    self.address = address
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
