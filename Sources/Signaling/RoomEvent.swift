import Music

/// An event of a room, sent to every member.
package enum RoomEvent: Hashable, Sendable {
  case joined(RoomSnapshot.Member)
  case left(ParticipantID)
  /// A member's state changed: connected, publishing, consent.
  case changed(RoomSnapshot.Member)
  /// Audio of a musician can be subscribed to.
  case published(ParticipantID)
  case unpublished(ParticipantID)
  /// Our candidate for the member's own connection.
  case candidate(PeerLabel, CandidateMessage)
  /// The state of the member's own connection.
  case peer(PeerLabel, PeerState)
  /// A take began: everybody is being recorded.
  case takeStarted(RoomSnapshot.RollingTake)
  /// A take ended; after a split, `next` is already rolling.
  case takeStopped(TakeID, next: RoomSnapshot.RollingTake?)
  /// A take's files are ready (or rendering failed).
  case takeFinished(TakeID, TakeState)
  /// Audio of the rolling take is on disk up to this position.
  case journaled(TakeID, SamplePosition)
  case cue(TakeID, Cue)
  case message(from: ParticipantID, text: String, isPrivate: Bool)
  /// A warning for everybody, for example that the disk is full.
  case warning(code: Warning, text: String)
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
    /// The member did not keep up with the events.
    case tooSlow = "too-slow"
  }
}
