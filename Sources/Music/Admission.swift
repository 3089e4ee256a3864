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

    package init(participant: Participant, role: Role, isPresent: Bool, identity: String? = nil) {
      self.participant = participant
      self.role = role
      self.isPresent = isPresent
      self.identity = identity
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
    /// The rights granted by the credentials.
    package var authority: Role

    package init(
      name: DisplayName, role: Role, provesResume: Bool = false, identity: String? = nil, authority: Role? = nil
    ) {
      self.authority = authority ?? role
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
    case refuse(Refusal)
  }

  /// The reason for a refusal.
  package enum Refusal: Hashable, Sendable {
    /// All seats are taken.
    case roomFull(capacity: Int)
    /// A participant who is present has the name.
    case nameTaken(DisplayName)
  }

  /// Decides on `request` in a room with `occupants` and `capacity` seats.
  ///
  /// If the holder of the name is absent (no link, no media), anybody using that name may take it over. If the holder
  /// is present, the resume secret or the same proven identity is required. Listeners do not take seats.
  package static func decide(_ request: Request, among occupants: [Occupant], capacity: Int) -> Decision {
    if let holder = occupants.first(where: { $0.participant.name == request.name }) {
      let proven = request.provesResume || (request.identity != nil && request.identity == holder.identity)
      // A seat held under a proven identity is not given to a stranger, even if the holder is absent.
      let mayInherit = !holder.isPresent && (holder.identity == nil || proven)
      // Nor is a musician's seat given to a listener, which would remove the musician from the take.
      let isBeyond = holder.role == .musician && !request.authority.mayChange
      guard proven || mayInherit, !isBeyond else { return .refuse(.nameTaken(request.name)) }
      if holder.role == request.role || holder.role == .musician { return .takeOver(holder.participant.id) }
    }
    guard request.role == .musician else { return .enter }
    let seats = occupants.count { $0.role == .musician }
    return seats < capacity ? .enter : .refuse(.roomFull(capacity: capacity))
  }
}
