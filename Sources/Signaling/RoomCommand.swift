import Music

/// A member's request to a room, independent of the dialect.
package enum RoomCommand: Hashable, Sendable {
  /// Sends audio to the room: the member's offer, answered by `.answer`; nil requests our offer (`.offer`).
  /// `loopsBack`: the member's own audio returns on the same connection.
  case publish(PeerLabel, offer: String?, loopsBack: Bool = false)
  /// Subscribes to a musician or the live mix: the member's offer, answered by `.answer`; nil requests our offer
  /// (`.offer`).
  case subscribe(PeerLabel, to: AudioSource, offer: String?)
  /// Both on one connection: the member's audio to the room, and another musician's to the member. Of several such
  /// connections, which carry the same microphone, the first with sound is the member's publication. The member's
  /// offer, answered by `.answer`; nil requests our offer (`.offer`).
  case exchange(PeerLabel, with: ParticipantID, offer: String?)
  /// Switches an existing subscription to another source without a new offer; nil silences it.
  case redirect(PeerLabel, to: AudioSource?)
  /// The answer to our offer.
  case answer(PeerLabel, sdp: String)
  /// A candidate of the member; kept if the label is not known yet.
  case candidate(PeerLabel, CandidateMessage)
  /// A new offer on an existing connection (ICE restart), answered by `.answer`.
  case restart(PeerLabel, offer: String)
  /// Ends one connection.
  case close(PeerLabel)

  case startTake(song: String?)
  case stopTake
  /// Ends the take and begins the next without losing a sample.
  case splitTake(song: String?)
  /// Marks this moment of the rolling take.
  case cue(String)
  /// Sends a message to everybody, or to one member.
  case message(String, to: ParticipantID?)
  /// A clock sample, playout delays or the quality of reception that the member's own client measured.
  case report(ClientReport)
  /// Begins to use a shared object, and creates it if it does not exist. The member receives the whole object, and
  /// every change from then on. With nil, an existing object keeps its persistence, and a new one lives while it is
  /// used.
  case sharedObjectUse(SharedObjectName, isPersistent: Bool?)
  /// One change message: applied and distributed as a whole, in the same order for everybody.
  case sharedObjectChange(SharedObjectName, [SharedChange])
  /// Ends the use of a shared object.
  case sharedObjectRelease(SharedObjectName)
  /// Removes another member.
  case kick(ParticipantID)
  /// Silences another member for everybody and in the recording, or lifts that.
  case mute(ParticipantID, Bool)
  /// What the member's client does with its sound from now on. `.talkback` lasts for a moment and has to be repeated.
  case sound(SoundState)
  /// The member's client exchanges direct connections from now on, and has none yet: every other musician in the mesh
  /// makes it an offer.
  case meshEnter
  /// A message for another musician's client about the direct connection to it.
  case meshRelay(PairMessage, to: ParticipantID)
  /// The state of the member's end of a direct connection.
  case meshReport(PairReport, about: ParticipantID)
  /// Chooses how the musicians of this room hear each other.
  case topology(RoomPolicy.Topology)
  /// Calls a method of the band's own application, answered by `.returned` or `.done`; it may take seconds.
  case call(String, [SharedValue])
  /// Requests the present state of the room.
  case snapshot
  case leave

  /// What this is in the table of rights.
  package var action: Authorisation.Action {
    switch self {
    case .publish, .exchange, .sound, .meshEnter, .meshRelay, .meshReport: .publish
    case .subscribe, .redirect: .hear
    case .answer, .candidate, .restart, .close, .report, .leave: .connect
    case .startTake, .stopTake, .splitTake: .runTakes
    case .cue: .markTake
    case .message: .talk
    // Existing objects only; creating one needs `writeObjects`.
    case .sharedObjectUse, .sharedObjectRelease: .readObjects
    case .sharedObjectChange: .writeObjects
    case .kick: .kick
    case .mute: .mute
    case .topology: .arrangeRoom
    case .call: .callMethod
    case .snapshot: .readRoom
    }
  }
}

/// The source of a subscription.
package enum AudioSource: Hashable, Sendable {
  /// One musician, with packets forwarded as they arrive.
  case participant(ParticipantID)
  /// The live mix of all musicians, optionally without one.
  case mix(without: ParticipantID?)
  /// The live mix without the subscriber, for musicians who hear themselves already.
  case mixMinus

  /// The live mix of everybody.
  package static let mix = AudioSource.mix(without: nil)
}

/// One trickled ICE candidate, or the end of candidates (RFC 8838).
package struct CandidateMessage: Hashable, Sendable {
  /// The value of `a=candidate` ("candidate:1 1 udp …"); empty for the end of candidates.
  package var candidate: String
  package var mid: String?
  package var mLineIndex: Int?

  package init(candidate: String, mid: String? = nil, mLineIndex: Int? = nil) {
    self.candidate = candidate
    self.mid = mid
    self.mLineIndex = mLineIndex
  }

  /// The end of candidates.
  package static let end = CandidateMessage(candidate: "")
}

/// The name of a media connection on its member's signaling link: 1 to 64 printable ASCII characters.
///
/// The client chooses it, so that it can send candidates before the answer to its offer arrives.
package struct PeerLabel: Hashable, Sendable, LosslessStringConvertible {
  package let description: String

  static let maximumLength = 64

  package init?(_ description: String) {
    let bytes = description.utf8
    guard !bytes.isEmpty, bytes.count <= PeerLabel.maximumLength, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return nil
    }
    self.description = description
  }
}
