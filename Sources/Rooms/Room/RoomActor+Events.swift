import Library
import Logging
import Machines
import Music
import Recording
import Signaling

/// Events for the room's members, and for observers of the whole service.
extension RoomActor {
  /// Sends an event to everyone except `except`; a member that does not keep up is removed.
  func tell(_ event: RoomEvent, except: Member? = nil) {
    reflect(event)
    services.watch.tell(event, in: name)
    for member in members where member !== except { tell(event, to: member) }
  }

  func tell(_ event: RoomEvent, to member: Member) {
    let message = message(in: event)
    guard member.link?.send(event, keeping: message) != true else { return }
    if member.link != nil {
      logger.warning("a member does not read its events", metadata: ["participant": "\(member.participant.id)"])
      member.link?.finish()
      member.link = nil
      member.awaySince = MonotonicClock.now
    }
    if let message { member.missed.add(message) }
  }

  /// What a client must be told that was not there for an event; the rest of what happens is in the next snapshot. Its
  /// author may have left by then.
  private func message(in event: RoomEvent) -> RoomEvent? {
    guard case .message(let author, let text, let isPrivate) = event,
      let author = members.first(where: { $0.participant.id == author })?.participant
    else { return nil }
    return .missed(from: author, text: text, isPrivate: isPrivate)
  }

  func publish(_ kind: ServiceEventKind, _ content: ServiceEvent.Content) {
    services.events.publish(kind, room: name, content)
  }

  /// Announces that the room is being recorded; a split does not change that.
  func announce(recording take: TakeID) {
    guard takes.announce() else { return }
    publish(.recordingStarted, .takeID(take))
  }

  /// Announces the end of a take; without a next one, the room is no longer recorded.
  func publishStop(of capture: Capture, hasNext: Bool) {
    if var take = capture.stored {
      take.state = .captured
      take.endedAt = MonotonicClock.wall
      publish(.takeStopped, .take(take))
    }
    guard !hasNext, takes.withdrawAnnouncement() else { return }
    publish(.recordingStopped, .takeID(capture.take))
  }

  /// Sends a warning to everyone in the room and to observers.
  func warn(_ code: RoomEvent.Warning, _ text: String, take: TakeID?) {
    tell(.warning(code: code, text: text, take: take))
    publish(.warning, .warning(code, text: text, take: take))
  }
}
