import Logging
import Machines
import Music
import Recording
import Signaling

/// Members whose link is lost: how long their seats wait for them, and who may have the seats meanwhile.
extension RoomActor {
  /// How long a seat outlives a link that its own client closed: long enough for a client that opens another one at once
  /// (a reloaded page).
  static let goodbyeGrace = MonotonicTime.Span.milliseconds(1_500)
  static let closing = RoomRefusal(.unavailable, "the room is closing; try again in a moment")

  /// Interval of looking whether a musician without a link has fallen silent.
  private static let look = MonotonicTime.Span.milliseconds(50)

  /// How long the seat of a member without a link is kept.
  func grace(of member: Member) -> MonotonicTime.Span {
    if member.hasSaidGoodbye { return RoomActor.goodbyeGrace }
    // What is heard is recorded.
    let isHeard = member.publication?.lastArrival.map { MonotonicClock.now - $0 < Publication.silence } ?? false
    let isGone = member.door.staysAway && !isHeard
    let seconds = isGone ? services.configuration.kurentoGrace : policy.gracePeriod
    return max(.nanoseconds(Int64(saturating: seconds * 1e9)), member.door.returnsWithin)
  }

  /// In a full room, waits until a musician whose link is lost has been silent for long enough to be gone, so that a
  /// newcomer need not ask twice. Returns at once if nobody is about to be.
  func waitForGhost(_ request: JoinRequest) async {
    guard request.role == .musician, !members.contains(where: { $0.participant.name == request.name }) else { return }
    let end = MonotonicClock.now + Publication.silence + RoomActor.look
    while true {
      let now = MonotonicClock.now
      let musicians = members.filter { $0.role == .musician }
      guard now < end, musicians.count >= policy.capacity, !musicians.contains(where: { $0.isGhost(at: now) }),
        musicians.contains(where: { $0.mayBecomeGhost(at: now) })
      else { return }
      await pause(RoomActor.look) { false }
    }
  }

  /// Gives up the seat of a musician who is gone; what was heard of them is recorded.
  func giveAway(_ ghost: ParticipantID, at now: MonotonicTime) {
    guard let member = members.first(where: { $0.participant.id == ghost }) else { return }
    logger.info("seat given away", metadata: ["participant": "\(ghost)"])
    // The newcomer is about to come in, so an empty room does not close.
    visits += 1
    defer { visits -= 1 }
    remove(member, at: now)
  }

  /// The reason for refusing a join, in words that its client can act upon.
  func refusal(_ reason: Admission.Refusal, of request: JoinRequest) -> RoomRefusal {
    let isPlain = request.door.hasNoWordsForSeats
    switch reason {
    case .roomFull(let capacity):
      return RoomRefusal(
        .roomFull,
        "all \(capacity) seats of \(name) are taken; come back when a musician has left"
          + (isPlain ? "" : ", or join as a listener"))
    case .nameTaken(let taken, isPresent: true):
      return RoomRefusal(
        .nameTaken,
        "\"\(taken)\" is in \(name) already; choose another name" + (isPlain ? "" : ", or resume with the secret"))
    case .nameTaken(let taken, isPresent: false):
      let holder = members.first { $0.participant.name == taken }
      let seconds = holder.map { Int(saturating: grace(of: $0).seconds.rounded(.up)) } ?? 0
      return RoomRefusal(
        .nameTaken,
        "the seat of \"\(taken)\" is kept for \(seconds) seconds after the link was lost; "
          + (isPlain ? "" : "resume with its secret, ") + "choose another name, or wait")
    }
  }

  /// Starts or ends a member's grace period.
  func noteAbsence(of member: Member, at now: MonotonicTime) {
    switch member.link?.kind {
    case .live: member.awaySince = nil
    case .resource:
      if member.hasMedia(at: now) { member.awaySince = nil } else if member.awaySince == nil { member.awaySince = now }
    case nil: break
    }
  }
}

extension Member {
  /// How long a page of the native protocol may take to come back to its seat after a reload.
  private static let reload = MonotonicTime.Span.seconds(3)

  /// True if the link is lost and nothing is heard any more: in a full room a newcomer may have the seat. A musician who
  /// plays on without a link keeps it.
  func isGhost(at now: MonotonicTime) -> Bool {
    guard link == nil, let awaySince else { return false }
    if hasSaidGoodbye { return true }
    guard door != .native || now - awaySince >= Member.reload else { return false }
    guard let last = publication?.lastArrival else { return true }
    return now - last >= Publication.silence
  }

  /// True if only the last sound is too recent.
  fileprivate func mayBecomeGhost(at now: MonotonicTime) -> Bool {
    guard link == nil, let awaySince else { return false }
    return door != .native || now - awaySince >= Member.reload
  }
}
