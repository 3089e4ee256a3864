import Music

/// What a member asks of a room, whichever dialect they speak.
package enum RoomCommand: Hashable, Sendable {
  /// Sends audio to the room: an offer of theirs, answered by `.answer`; nil asks for an offer of ours (`.offer`).
  /// `loopsBack`: their own audio comes back to them on the same connection.
  case publish(PeerLabel, offer: String?, loopsBack: Bool = false)
  /// Hears a musician or the live mix: an offer of theirs, answered by `.answer`; nil asks for an offer of ours
  /// (`.offer`).
  case subscribe(PeerLabel, to: AudioSource, offer: String?)
  /// Turns a standing subscription to another source, without a new offer; nil lets it be silent.
  case redirect(PeerLabel, to: AudioSource?)
  /// The answer to an offer of ours.
  case answer(PeerLabel, sdp: String)
  /// A candidate of theirs; kept when the label is not known yet.
  case candidate(PeerLabel, CandidateMessage)
  /// A new offer on a living connection (ICE restart), answered by `.answer`.
  case restart(PeerLabel, offer: String)
  /// Ends one connection.
  case close(PeerLabel)

  case startTake(song: String?)
  case stopTake
  /// Ends the take and begins the next without losing a sample.
  case splitTake(song: String?)
  /// Marks this moment of the rolling take.
  case cue(String)
  /// Says something to everybody, or to one.
  case message(String, to: ParticipantID?)
  /// A clock sample or playout delays that the member's own client measured.
  case report(ClientReport)
  /// Begins to use a shared object, which is made where there is none: the member is sent all of it, and every change
  /// from then on. Nil takes it as it is, or makes one that lives while somebody uses it.
  case sharedObjectUse(SharedObjectName, isPersistent: Bool?)
  /// One change message: carried out and told to everybody as one, in one order for all.
  case sharedObjectChange(SharedObjectName, [SharedChange])
  /// Ends the use of a shared object.
  case sharedObjectRelease(SharedObjectName)
  /// Asks for the room as it is now.
  case snapshot
  case leave

  /// Whether somebody may do it who may only listen (`Role.mayChange`).
  package var isForListeners: Bool {
    switch self {
    case .subscribe, .redirect, .answer, .candidate, .restart, .close, .message, .report, .snapshot, .leave: true
    // An object that is there; the room makes none for a listener.
    case .sharedObjectUse, .sharedObjectRelease: true
    case .publish, .startTake, .stopTake, .splitTake, .cue, .sharedObjectChange: false
    }
  }
}

/// What a client of ours measures for the time line.
package struct ClientReport: Hashable, Sendable {
  /// The client's monotonic clock in nanoseconds when it sent its ping, where it measured one.
  package var clientTime: Int64?
  /// The round trip that it measured, in nanoseconds.
  package var roundTrip: Int64?
  /// How late the client plays each other participant, in nanoseconds.
  package var playoutDelays: [ParticipantID: Int64]

  package init(clientTime: Int64? = nil, roundTrip: Int64? = nil, playoutDelays: [ParticipantID: Int64] = [:]) {
    self.clientTime = clientTime
    self.roundTrip = roundTrip
    self.playoutDelays = playoutDelays
  }
}
