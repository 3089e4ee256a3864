import Music

/// The other musicians of the room as this session was told of them; listeners are invisible on this wire.
struct KurentoRoster {
  /// Another musician.
  struct Musician: Hashable, Sendable {
    let id: ParticipantID
    var name: String
    /// A connection by which they send was negotiated.
    var isPublishing: Bool
  }

  /// What has to be told.
  enum Change: Hashable, Sendable {
    case joined(Musician)
    case published(Musician)
    case unpublished(Musician)
    case left(Musician)
  }

  private let me: ParticipantID
  /// In the order in which they came in.
  private(set) var musicians: [Musician] = []
  /// Listeners are told nothing of, but what they write is signed with their name.
  private var listeners: [ParticipantID: String] = [:]

  init(me: ParticipantID, members: [RoomSnapshot.Member]) {
    self.me = me
    for member in members { _ = apply(member) }
  }

  /// A member came in or changed; what that means for this session, joined before published.
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

  /// The room as it is now, after events were missed; those who left come first, because a name may be used anew.
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

  /// The name of whoever else is in the room, listeners too.
  func name(of id: ParticipantID) -> String? { musicians.first { $0.id == id }?.name ?? listeners[id] }
}
