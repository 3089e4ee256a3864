import Music

/// The sessions and musicians of takes that are imported together: takes of one day share a session, and equal names are
/// one musician.
package struct ImportCast: Hashable, Sendable, Codable {
  private var sessions: [String: Session] = [:]
  private var people: [String: Participant] = [:]

  package init() {}

  /// The session of a take that began at `start`.
  package mutating func session(at start: WallTime, in room: RoomName) -> Session {
    if let known = sessions[start.date] { return known }
    let session = Session(id: SessionID(at: start), room: room, startedAt: start)
    sessions[start.date] = session
    return session
  }

  /// The musicians of a take that began at `start`, by their names.
  package mutating func musicians(_ names: [DisplayName], at start: WallTime) -> [Participant] {
    names.map { name in
      if let known = people[name.description] { return known }
      let person = Participant(id: ParticipantID(at: start), name: name)
      people[name.description] = person
      return person
    }
  }
}
