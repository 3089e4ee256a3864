/// Decides who may enter a room: the only such place, for every dialect.
package enum Admission {
  /// A seat or listener already in the room, with the properties relevant to admission.
  package struct Occupant: Hashable, Sendable {
    package var participant: Participant
    package var role: Role
    /// True while they have a working signaling link or media path.
    package var isPresent: Bool
    /// The identity proved by their token, if any.
    package var identity: String?
    /// The network address of their client, if it is known.
    package var address: String?
    /// For how many seconds they have been gone, if a full room may give their seat away: their link is lost, and nothing
    /// is heard of them. Nil for anybody else.
    package var ghostFor: Double?

    package init(
      participant: Participant, role: Role, isPresent: Bool, identity: String? = nil, address: String? = nil,
      ghostFor: Double? = nil
    ) {
      self.ghostFor = ghostFor
      self.participant = participant
      self.role = role
      self.isPresent = isPresent
      self.identity = identity
      self.address = address
    }
  }

  /// A request to enter.
  package struct Request: Hashable, Sendable {
    package var name: DisplayName
    package var role: Role
    /// True if the request contains the resume secret of the occupant of that name.
    package var provesResume: Bool
    /// The identity proved by the token, if any.
    package var identity: String?
    /// What the credentials entitle to.
    package var authority: Authority
    /// The network address of the client, if it is known.
    package var address: String?

    package init(
      name: DisplayName, role: Role, provesResume: Bool = false, identity: String? = nil, address: String? = nil,
      authority: Authority? = nil
    ) {
      self.authority = authority ?? Authority(role)
      self.address = address
      self.name = name
      self.role = role
      self.provesResume = provesResume
      self.identity = identity
    }
  }

  /// The decision on a request.
  package enum Decision: Hashable, Sendable {
    /// A new seat (or a new listener).
    case enter
    /// The seat of this participant is taken over: same identity, same track.
    case takeOver(ParticipantID)
    /// A new seat, in place of this participant, who is gone.
    case giveAway(ParticipantID)
    case refuse(Refusal)
  }

  /// The reason for a refusal.
  package enum Refusal: Hashable, Sendable {
    /// All seats are taken.
    case roomFull(capacity: Int)
    /// Somebody has the name: they are present, or their seat is kept for them.
    case nameTaken(DisplayName, isPresent: Bool)
  }

  /// The beginning of an identity that a token's name proves; what follows is the name without case and width.
  package static let namePrefix = "name:"

  /// True if a request is about the place of somebody with this name and identity: it has the same name, or its token is
  /// for the same name, which the musician writes otherwise this time.
  package static func isSameName(_ name: DisplayName, identity: String?, as request: Request) -> Bool {
    name == request.name || (identity == request.identity && identity?.hasPrefix(namePrefix) == true)
  }

  /// Decides on `request` in a room with `occupants` and `capacity` seats.
  ///
  /// The resume secret, or the same proven identity, takes a seat over even if its holder is present. If the holder is
  /// absent (no link, no media) and has no identity, the same network address is enough: clients of other dialects know
  /// no secret. The name alone is not, because everybody in the room can read it. Listeners do not take seats.
  /// In a full room a newcomer gets the seat of the musician who has been gone for the longest time.
  package static func decide(_ request: Request, among occupants: [Occupant], capacity: Int) -> Decision {
    if let holder = occupants.first(where: {
      isSameName($0.participant.name, identity: $0.identity, as: request)
    }) {
      let proven = request.provesResume || (request.identity != nil && request.identity == holder.identity)
      let mayInherit =
        !holder.isPresent && isSame(identity: holder.identity, address: holder.address, as: request)
      // Nor is a musician's seat given to a listener, which would remove the musician from the take.
      let isBeyond = holder.role == .musician && request.authority < .musician
      guard proven || mayInherit, !isBeyond else {
        return .refuse(.nameTaken(request.name, isPresent: holder.isPresent))
      }
      if holder.role == request.role || holder.role == .musician { return .takeOver(holder.participant.id) }
    }
    guard request.role == .musician else { return .enter }
    let seated = occupants.filter { $0.role == .musician }
    guard seated.count >= capacity else { return .enter }
    let ghosts = seated.filter { $0.ghostFor != nil }
    guard let gone = ghosts.max(by: { ($0.ghostFor ?? 0) < ($1.ghostFor ?? 0) }) else {
      return .refuse(.roomFull(capacity: capacity))
    }
    return .giveAway(gone.participant.id)
  }

  /// True if a request without a secret comes from a seat's former holder: the same proven identity, or the same address
  /// if neither side has one.
  package static func isSame(identity: String?, address: String?, as request: Request) -> Bool {
    guard identity == nil, request.identity == nil else { return identity == request.identity }
    return address != nil && address == request.address
  }
}
