import Music

/// The room as known to a joined session.
struct KurentoSeat {
  /// The meaning of a "sender".
  enum Source: Hashable, Sendable {
    case musician(KurentoRoster.Musician)
    case caller
    case mix(AudioSource)
  }

  let me: ParticipantID
  let name: String
  let room: RoomName
  var roster: KurentoRoster
  var legs: KurentoLegs
  /// The rolling take.
  var take: RoomSnapshot.RollingTake?
  /// True if the session subscribed to notifications of takes.
  var hearsRecorder = false

  init(me: ParticipantID, name: String, snapshot: RoomSnapshot) {
    self.me = me
    self.name = name
    room = snapshot.room
    roster = KurentoRoster(me: me, members: snapshot.members)
    legs = KurentoLegs(ownName: name)
    take = snapshot.take
  }

  /// Reads `<user>_<stream>` or a bare user name; nil if there is no such source.
  ///
  /// Cuts at the last "_", because user names may contain it but streams never do. A musician called "mix" takes
  /// precedence over the mix.
  func source(of sender: String) -> (name: String, source: Source)? {
    let cut = sender.lastIndex(of: "_").map { String(sender[..<$0]) }
    for name in [cut, sender].compactMap({ $0 }) {
      if name == self.name { return (name, .caller) }
      if let musician = roster.musician(named: name) { return (name, .musician(musician)) }
    }
    switch cut ?? sender {
    case AudioSource.mixName: return (AudioSource.mixName, .mix(.mix))
    case AudioSource.mixMinusName: return (AudioSource.mixMinusName, .mix(.mixMinus))
    default: return nil
    }
  }

  /// The name of the writer of a message.
  func name(of participant: ParticipantID) -> String? {
    participant == me ? name : roster.name(of: participant)
  }
}

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
