import Machines
import Music
import Recording
import Signaling

extension RoomActor {
  /// Carries out a member's command.
  /// - Throws: `RoomRefusal` that names the fault; nothing has changed then.
  func perform(_ command: RoomCommand, by participant: ParticipantID, link: UInt64) async throws(RoomRefusal)
    -> RoomReply
  {
    guard let member = member(participant, link: link) else {
      throw RoomRefusal(.notJoined, "this link no longer has a seat; join again")
    }
    try member.check(command.action, on: .room(name))
    switch command {
    case .publish(let label, let offer, let loopsBack):
      return try await publish(label, offer: offer, loopsBack: loopsBack, by: member)
    case .subscribe(let label, let source, let offer):
      return try await subscribe(label, to: source, offer: offer, by: member)
    case .exchange(let label, let other, let offer):
      return try await exchange(label, with: other, offer: offer, by: member)
    case .redirect(let label, let source): return try redirect(label, to: source, by: member)
    case .answer(let label, let sdp): return try accept(answer: sdp, label, by: member)
    case .candidate(let label, let candidate): return try add(candidate, label, by: member)
    case .restart(let label, let offer): return try await restart(label, offer: offer, by: member)
    case .close(let label):
      // Candidates that will never get an offer must not take the place of others.
      member.earlyCandidates[label] = nil
      guard member.peers[label] != nil else { throw unknownPeer(label) }
      closePeer(label, of: member, at: MonotonicClock.now)
      return .done
    case .startTake(let song): return try await startTake(song: song)
    case .stopTake: return try stopTake()
    case .splitTake(let song): return try await splitTake(song: song)
    case .cue(let text): return try setCue(text, by: participant)
    case .message(let text, let recipient): return try send(message: text, to: recipient, from: member)
    case .report(let report):
      journal(report, of: member)
      return .done
    case .sharedObjectUse(let name, let isPersistent):
      return try await useSharedObject(name, isPersistent: isPersistent, by: participant, link: link)
    case .sharedObjectChange(let name, let changes):
      return try await changeSharedObject(name, changes, by: participant, link: link)
    case .sharedObjectRelease(let name): return try releaseSharedObject(name, by: participant)
    case .kick(let other):
      try kick(other, by: member.principal, at: member.door)
      return .done
    case .mute(let other, let isMuted):
      try mute(other, isMuted, by: member.principal, at: member.door, as: participant)
      return .done
    case .sound(let state):
      let now = MonotonicClock.now
      if member.says(state, at: now) { tell(.changed(member.snapshot(at: now))) }
      return .done
    case .topology(let topology):
      try await choose(topology)
      return .done
    case .meshEnter: return try enterMesh(member)
    case .meshRelay(let message, let receiver): return try relay(message, to: receiver, from: member)
    case .meshReport(let report, let other): return try note(report, about: other, from: member)
    // The shell carries out calls: the room would stand still meanwhile.
    case .call(let method, _): throw RoomRefusal(.unknownMethod, "the room has no method \(method.prefix(64))")
    case .snapshot: return .snapshot(snapshot)
    case .leave:
      await leave(participant, link: link)
      return .done
    }
  }

  private func send(message text: String, to recipient: ParticipantID?, from member: Member) throws(RoomRefusal)
    -> RoomReply
  {
    try check(text, member.door.sendsLongMessages ? .kurentoMessage : .message, what: "a message")
    guard let recipient else {
      tell(.message(from: member.participant.id, text: text, isPrivate: false))
      return .done
    }
    guard let other = members.first(where: { $0.participant.id == recipient }) else {
      throw RoomRefusal(.unknownParticipant, "\(recipient) is not in \(name); the snapshot lists its members")
    }
    tell(.message(from: member.participant.id, text: text, isPrivate: true), to: other)
    return .done
  }

  func check(_ text: String, _ kind: TextKind, what: String) throws(RoomRefusal) {
    do throws(ValueProblem) {
      try kind.check(text)
    } catch {
      throw RoomRefusal(.invalidText, "\(what) cannot be \(error.value); permitted: \(error.permitted)")
    }
  }

  /// Writes clock samples and playout delays to the journal, for the time line and the perspective mixes, and keeps the
  /// client's health.
  private func journal(_ report: ClientReport, of member: Member) {
    let now = MonotonicClock.now
    // For the next reading of their quality; impossible numbers of whatever dialect are left out.
    if let health = report.health, (try? health.check()) != nil { member.health = health }
    let reading = report.reading(at: now)
    if let reading { member.reading = reading }
    for capture in takes.open {
      guard let track = capture.track(of: member.participant.id) else { continue }
      if let reading { capture.append(reading, track: track) }
      for (heard, delay) in report.playoutDelays {
        guard let source = capture.track(of: heard), delay >= 0 else { continue }
        capture.append(.playoutDelay(track: track, at: now, of: source, delay: .nanoseconds(delay)))
      }
      for (heard, trip) in report.directTrips {
        guard let source = capture.track(of: heard), trip >= 0 else { continue }
        capture.append(.directTrip(track: track, at: now, of: source, .nanoseconds(trip)))
      }
    }
  }

  func unknownPeer(_ label: PeerLabel) -> RoomRefusal {
    RoomRefusal(.unknownPeer, "there is no connection \"\(label)\"; publish or subscribe makes one")
  }
}
