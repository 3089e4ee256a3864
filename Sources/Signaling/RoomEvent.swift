import Music

/// An event of a room, sent to every member.
package enum RoomEvent: Hashable, Sendable {
  case joined(RoomSnapshot.Member)
  case left(ParticipantID)
  /// A member's state changed: connected, publishing, consent, muted, sound.
  case changed(RoomSnapshot.Member)
  /// Audio of a musician can be subscribed to.
  case published(ParticipantID)
  case unpublished(ParticipantID)
  /// For a member whom a moderator has muted, or no longer mutes; `by` is nil for a request from outside the room.
  case muted(Bool, by: ParticipantID?)
  /// A direct connection between two musicians is new, or its state has changed; everybody is sent it.
  case pair(MeshPair)
  /// A message of another musician's client about the direct connection with it.
  case relayed(PairMessage, from: ParticipantID)
  /// The musicians hear each other in this way from now on; after a change there are no pairs.
  case topology(RoomPolicy.Topology)
  /// A member is waiting, connecting, connected or away.
  case state(ParticipantID, MemberState)
  /// What a musician's connection was like in the last seconds.
  case quality(ParticipantID, QualityReading)
  /// Our candidate for the member's own connection.
  case candidate(PeerLabel, CandidateMessage)
  /// The state of the member's own connection.
  case peer(PeerLabel, PeerState)
  /// A take began: everybody is being recorded.
  case takeStarted(RoomSnapshot.RollingTake)
  /// A take ended; after a split, `next` is already rolling. `isStopped` is that of the snapshot.
  case takeStopped(TakeID, next: RoomSnapshot.RollingTake?, isStopped: Bool = false)
  /// A take's files are ready (or rendering failed).
  case takeFinished(TakeID, TakeState)
  /// Audio of the rolling take is on disk up to this position.
  case journaled(TakeID, SamplePosition)
  case cue(TakeID, Cue)
  case message(from: ParticipantID, text: String, isPrivate: Bool)
  /// A message from the time when the member had no link, by somebody who may have left since.
  case missed(from: Participant, text: String, isPrivate: Bool)
  /// The room hears a backing track, or none any more; also sent when the list of its backing tracks changed.
  case backing(BackingPlay?)
  /// A warning for everybody, for example that the disk is full.
  /// - Parameter take: the take that it is about, if it is about one.
  case warning(code: Warning, text: String, take: TakeID? = nil)
  /// A whole shared object, or the effect of a change message for this member.
  case sharedObject(SharedObjectEvent)
  /// The operator calls a handler of the client.
  case push(name: String, [SharedValue])
  /// The seat was taken over by another link, or the room closes: the link ends after this.
  case closed(reason: ClosingReason)

  /// The state of one media connection.
  package enum PeerState: String, Hashable, Sendable {
    case connecting, connected, disconnected, failed, closed
  }

  /// Kinds of warnings.
  package enum Warning: String, Hashable, Sendable {
    /// The recorder cannot write all data at present.
    case recordingDegraded = "recording-degraded"
    /// The recorder writes all data again.
    case recordingRecovered = "recording-recovered"
    /// A render failed; the journal is kept.
    case renderFailed = "render-failed"
  }

  /// The reasons for the room to close a link.
  package enum ClosingReason: String, Hashable, Sendable {
    /// The same musician came back on another link.
    case replaced
    /// The service shuts down.
    case shutdown
    /// The operator closed the room.
    case roomClosed = "room-closed"
    /// A moderator removed the member, or their token was revoked.
    case kicked
    /// The token by which the member came in has expired.
    case expired
    /// The member did not keep up with the events.
    case tooSlow = "too-slow"
  }
}
