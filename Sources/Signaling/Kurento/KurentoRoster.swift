import Music

/// The other musicians of the room as known to this session; listeners are invisible on this wire.
struct KurentoRoster {
  /// Another musician.
  struct Musician: Hashable, Sendable {
    let id: ParticipantID
    var name: String
    /// True once a sending connection is negotiated.
    var isPublishing: Bool
  }

  /// A change to report to the client.
  enum Change: Hashable, Sendable {
    case joined(Musician)
    case published(Musician)
    case unpublished(Musician)
    case left(Musician)
  }

  private let me: ParticipantID
  /// In the order of arrival.
  private(set) var musicians: [Musician] = []
  /// Names of listeners, needed only for their messages.
  private var listeners: [ParticipantID: String] = [:]

  init(me: ParticipantID, members: [RoomSnapshot.Member]) {
    self.me = me
    for member in members { _ = apply(member) }
  }

  /// Applies a new or changed member; returns the changes for this session, joined before published.
  mutating func apply(_ member: RoomSnapshot.Member) -> [Change] {
    guard member.participant.id != me else { return [] }
    guard member.role == .musician else {
      listeners[member.participant.id] = member.participant.name.description
      return []
    }
    guard let index = musicians.firstIndex(where: { $0.id == member.participant.id }) else {
      let musician = Musician(
        id: member.participant.id, name: member.participant.name.description, isPublishing: member.hasPublication)
      musicians.append(musician)
      return [.joined(musician)] + (musician.isPublishing ? [.published(musician)] : [])
    }
    guard musicians[index].isPublishing != member.hasPublication else { return [] }
    musicians[index].isPublishing = member.hasPublication
    return [member.hasPublication ? .published(musicians[index]) : .unpublished(musicians[index])]
  }

  mutating func remove(_ id: ParticipantID) -> [Change] {
    listeners[id] = nil
    guard let index = musicians.firstIndex(where: { $0.id == id }) else { return [] }
    return [.left(musicians.remove(at: index))]
  }

  /// Applies the present state after missed events; departures come first, because a name may be reused.
  mutating func replace(with members: [RoomSnapshot.Member]) -> [Change] {
    let present = Set(members.map(\.participant.id))
    var changes: [Change] = []
    listeners = [:]
    for musician in musicians where !present.contains(musician.id) { changes += remove(musician.id) }
    for member in members { changes += apply(member) }
    return changes
  }

  /// The musician of that name.
  func musician(named name: String) -> Musician? { musicians.last { $0.name == name } }

  /// The name of another member of the room, including listeners.
  func name(of id: ParticipantID) -> String? { musicians.first { $0.id == id }?.name ?? listeners[id] }
}
