/// What credentials entitle their bearer to, from least to most: each has the rights of all before it.
///
/// The rights themselves are in one table, `Authorisation.rule(for:)`. A `Role` is something else: the kind of place
/// that a member has in a room.
package enum Authority: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
  /// No credentials.
  case stranger
  /// Hears, reads and talks.
  case listener
  /// Plays and records too, and edits what was recorded.
  case musician
  /// Keeps order in a room too: removes members, closes it.
  case moderator
  /// Has the room's takes too: deletes and restores them.
  case owner
  /// Runs the service: an API key, or anybody in a service without keys.
  case `operator`

  /// Those that a join token may grant, as its claim `role`.
  package static let inTokens: [Authority] = [.listener, .musician, .moderator, .owner]

  /// The authority that a place in a room needs.
  package init(_ role: Role) {
    self =
      switch role {
      case .musician: .musician
      case .listener: .listener
      }
  }

  private var rank: Int {
    switch self {
    case .stranger: 0
    case .listener: 1
    case .musician: 2
    case .moderator: 3
    case .owner: 4
    case .operator: 5
    }
  }

  package static func < (left: Authority, right: Authority) -> Bool { left.rank < right.rank }
}

/// The bearer of checked credentials: what they may do, and where.
package struct Principal: Hashable, Sendable {
  package var authority: Authority
  /// The only room within reach; nil for every room.
  package var room: RoomName?
  /// The join token shown, if it was one.
  package var token: TokenStamp?

  package init(_ authority: Authority, in room: RoomName? = nil, token: TokenStamp? = nil) {
    self.authority = authority
    self.room = room
    self.token = token
  }

  /// Without credentials.
  package static let stranger = Principal(.stranger)
  /// With an API key, or in a service without keys.
  package static let `operator` = Principal(.operator)

  package func reaches(_ room: RoomName) -> Bool { self.room.map { $0 == room } ?? true }
}

/// The properties of a join token by which it ceases to hold: revoked, or expired.
package struct TokenStamp: Hashable, Sendable {
  /// The claim `jti` (RFC 7519 section 4.1.7); nil for tokens of older releases.
  package var id: String?
  /// The room that it opens; nil for every room.
  package var room: RoomName?
  /// The claim `iat`, in seconds since 1970; nil for tokens of older releases.
  package var issued: Double?
  /// The claim `exp`, in seconds since 1970; nil if it is not known.
  package var expiry: Double?

  /// The claim `room` of a token for every room.
  package static let everyRoom = "*"

  package init(id: String?, room: RoomName?, issued: Double?, expiry: Double? = nil) {
    self.id = id
    self.room = room
    self.issued = issued
    self.expiry = expiry
  }

  package func hasExpired(at now: WallTime) -> Bool { expiry.map { Double(now.milliseconds) / 1e3 >= $0 } ?? false }
}
