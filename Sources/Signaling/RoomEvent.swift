import Music

/// What happens in a room, told to every member.
package enum RoomEvent: Hashable, Sendable {
  case joined(RoomSnapshot.Member)
  case left(ParticipantID)
  /// Somebody's state changed: connected, publishing, consent.
  case changed(RoomSnapshot.Member)
  /// Audio of a musician can be subscribed to.
  case published(ParticipantID)
  case unpublished(ParticipantID)
  /// A candidate of ours for the member's own connection.
  case candidate(PeerLabel, CandidateMessage)
  /// The state of the member's own connection.
  case peer(PeerLabel, PeerState)
  /// A take began: everybody is being recorded.
  case takeStarted(RoomSnapshot.RollingTake)
  /// A take ended; `next` rolls already where it was split.
  case takeStopped(TakeID, next: RoomSnapshot.RollingTake?)
  /// A take's files are there (or it failed).
  case takeFinished(TakeID, TakeState)
  /// Audio of the rolling take is on disk up to here.
  case journaled(TakeID, SamplePosition)
  case cue(TakeID, Cue)
  case message(from: ParticipantID, text: String, isPrivate: Bool)
  /// Something that everybody should know, for example that the disk is full.
  case warning(code: Warning, text: String)
  /// A shared object as a whole, or what a change message means for this member.
  case sharedObject(SharedObjectEvent)
  /// Whoever runs the service calls a handler of the client.
  case push(name: String, [SharedValue])
  /// The seat was taken over by another link, or the room closes: the link ends after this.
  case closed(reason: ClosingReason)

  /// The state of one media connection.
  package enum PeerState: String, Hashable, Sendable {
    case connecting, connected, disconnected, failed, closed
  }

  /// Kinds of warnings.
  package enum Warning: String, Hashable, Sendable {
    /// The recorder cannot write everything at present.
    case recordingDegraded = "recording-degraded"
    /// The recorder writes everything again.
    case recordingRecovered = "recording-recovered"
    /// A render failed; the journal is kept.
    case renderFailed = "render-failed"
  }

  /// Why a link is closed by the room.
  package enum ClosingReason: String, Hashable, Sendable {
    /// The same musician came back on another link.
    case replaced
    /// The service shuts down.
    case shutdown
    /// Whoever runs the service closed the room.
    case roomClosed = "room-closed"
    /// The member did not keep up with the events.
    case tooSlow = "too-slow"
  }
}
