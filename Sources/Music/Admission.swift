/// Who may enter a room: the one place where that is decided, for every dialect.
package enum Admission {
  /// A seat or listener already in the room, as far as admission cares.
  package struct Occupant: Hashable, Sendable {
    package var participant: Participant
    package var role: Role
    /// True while a signaling link or a media path of theirs is alive.
    package var isPresent: Bool
    /// The identity that their token proved, where there was one.
    package var identity: String?

    package init(participant: Participant, role: Role, isPresent: Bool, identity: String? = nil) {
      self.participant = participant
      self.role = role
      self.isPresent = isPresent
      self.identity = identity
    }
  }

  /// A wish to come in.
  package struct Request: Hashable, Sendable {
    package var name: DisplayName
    package var role: Role
    /// True when the resume secret of the occupant of that name was shown.
    package var provesResume: Bool
    /// The identity that the token proved, where there was one.
    package var identity: String?
    /// What the credentials allow.
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

  /// What was decided.
  package enum Decision: Hashable, Sendable {
    /// A new seat (or a listener's place).
    case enter
    /// The seat of this participant is taken over: same identity, same track.
    case takeOver(ParticipantID)
    case refuse(Refusal)
  }

  /// Why somebody was not let in.
  package enum Refusal: Hashable, Sendable {
    /// All seats are taken.
    case roomFull(capacity: Int)
    /// Somebody who is present has the name.
    case nameTaken(DisplayName)
  }

  /// Decides on `request` in a room with `occupants` and `capacity` seats.
  ///
  /// A name whose holder is gone (no link, no media) can be taken over by whoever comes under it; one whose holder is
  /// present only by the resume secret or the same proven identity. Listeners do not count as seats.
  package static func decide(_ request: Request, among occupants: [Occupant], capacity: Int) -> Decision {
    if let holder = occupants.first(where: { $0.participant.name == request.name }) {
      let proven = request.provesResume || (request.identity != nil && request.identity == holder.identity)
      // A seat held under a proven identity is not given to a stranger, even in the holder's absence.
      let mayInherit = !holder.isPresent && (holder.identity == nil || proven)
      // Neither is a musician's seat given to somebody who may only listen: it would take the musician out of the take.
      let isBeyond = holder.role == .musician && !request.authority.mayChange
      guard proven || mayInherit, !isBeyond else { return .refuse(.nameTaken(request.name)) }
      if holder.role == request.role || holder.role == .musician { return .takeOver(holder.participant.id) }
    }
    guard request.role == .musician else { return .enter }
    let seats = occupants.count { $0.role == .musician }
    return seats < capacity ? .enter : .refuse(.roomFull(capacity: capacity))
  }
}
