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
