import Music

/// What a session that has joined knows of its room.
struct KurentoSeat {
  /// Whom a "sender" means.
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
  /// The take that rolls.
  var take: RoomSnapshot.RollingTake?
  /// True where the session asked to be told of takes.
  var hearsRecorder = false

  init(me: ParticipantID, name: String, snapshot: RoomSnapshot) {
    self.me = me
    self.name = name
    room = snapshot.room
    roster = KurentoRoster(me: me, members: snapshot.members)
    legs = KurentoLegs(ownName: name)
    take = snapshot.take
  }

  /// Reads `<user>_<stream>` or a bare user name; nil where nobody is meant.
  ///
  /// Cut at the last "_", since users have it in their names too and streams never have. A musician who is called "mix"
  /// goes before the mix.
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

  /// The name of whoever wrote a message.
  func name(of participant: ParticipantID) -> String? {
    participant == me ? name : roster.name(of: participant)
  }
}
