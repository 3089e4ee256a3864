import Library
import Logging
import Machines
import Music
import Recording
import Signaling

/// What the room tells its members, and those who watch the whole service.
extension RoomActor {
  /// Tells everybody but `except`; who does not keep up is let go.
  func tell(_ event: RoomEvent, except: Member? = nil) {
    reflect(event)
    for member in members where member !== except { tell(event, to: member) }
  }

  func tell(_ event: RoomEvent, to member: Member) {
    guard let link = member.link, !link.send(event) else { return }
    logger.warning("a member does not read its events", metadata: ["participant": "\(member.participant.id)"])
    link.events.finish()
    member.link = nil
    member.awaySince = MonotonicClock.now
  }

  func publish(_ kind: ServiceEventKind, _ content: ServiceEvent.Content) {
    services.events.publish(kind, room: name, content)
  }

  /// The room is being recorded from now on; a split changes nothing of that.
  func announce(recording take: TakeID) {
    guard !isRecordingAnnounced else { return }
    isRecordingAnnounced = true
    publish(.recordingStarted, .takeID(take))
  }

  /// A take takes no more audio; without a next one the room is not recorded any more.
  func publishStop(of capture: Capture, hasNext: Bool) {
    if var take = capture.stored {
      take.state = .captured
      take.endedAt = MonotonicClock.wall
      publish(.takeStopped, .take(take))
    }
    guard !hasNext, isRecordingAnnounced else { return }
    isRecordingAnnounced = false
    publish(.recordingStopped, .takeID(capture.take))
  }

  /// Warns everybody in the room, and whoever watches.
  func warn(_ code: RoomEvent.Warning, _ text: String, take: TakeID?) {
    tell(.warning(code: code, text: text))
    publish(.warning, .warning(code, text: text, take: take))
  }
}
