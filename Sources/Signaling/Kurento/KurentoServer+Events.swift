import Machines
import Music

/// Events of the room.
extension KurentoServer {
  mutating func receive(_ event: RoomEvent) {
    if isToWait(event) {
      if early.count < KurentoServer.maximumEarlyEvents { early.append(event) }
      return
    }
    switch event {
    case .joined(let member), .changed(let member): tell(seat?.roster.apply(member) ?? [])
    case .left(let participant): tell(seat?.roster.remove(participant) ?? [])
    case .candidate(let label, let candidate):
      guard let name = seat?.legs.name(of: label), let placed = seat?.legs.pass(candidate, of: name) else { return }
      tell(.iceCandidate(endpointName: name, placed))
    case .peer(let label, .failed):
      guard let name = seat?.legs.name(of: label) else { return }
      tell(.mediaError("ICE: the connection of \(name) failed; offer it again"))
    case .message(let participant, let text, _):
      guard let room = seat?.room, let user = seat?.name(of: participant) else { return }
      tell(.sendMessage(room: room.description, user: user, message: text))
    case .missed(let author, let text, _):
      guard let room = seat?.room else { return }
      tell(.sendMessage(room: room.description, user: author.name.description, message: text))
    case .warning(.recordingDegraded, let text, _), .warning(.renderFailed, let text, _):
      tell(.mediaError("RECORDER: \(text)"))
    case .takeStarted(let take): started(take)
    case .takeStopped(let take, let next, _): stopped(take, next: next)
    case .takeFinished(let take, let state): tellRecorder(KurentoRecorderEvent.finished(take, state))
    case .cue(let take, let cue): tellRecorder(KurentoRecorderEvent.cue(take, cue))
    case .closed(let reason): close(reason)
    // `hasPublication` of the member reports publishing: from the answer on, not from the first audio on.
    case .published, .unpublished, .peer, .journaled, .warning(.recordingRecovered, _, _): break
    // Nor does this dialect know a mute by others, backing tracks, or the quality of connections.
    case .muted, .backing, .quality: break
    // Its members are always routed; who is in the room and publishes says all that it has words for.
    case .pair, .relayed, .topology, .state: break
    // Only those who asked: most clients do not know `custonNotification`.
    case .push(let name, let arguments):
      tellRecorder(["method": .string(name), "arguments": .array(arguments.map(\.json))])
    // This dialect has no shared state: its members never use objects.
    case .sharedObject: break
    }
  }

  /// Whether to hold an event: nothing may overtake the response to a join, and a caller's own message may not overtake
  /// the response to its sendMessage.
  private func isToWait(_ event: RoomEvent) -> Bool {
    guard let awaited else { return false }
    switch (awaited.purpose, event) {
    case (_, .closed): return false
    case (.join, _): return true
    case (.message, .message(let participant, _, _)): return participant == seat?.me
    default: return false
    }
  }

  /// Reports the changes missed during a time without a link.
  mutating func catchUp(with snapshot: RoomSnapshot) {
    guard seat != nil else { return }
    tell(seat?.roster.replace(with: snapshot.members) ?? [])
    guard seat?.take?.id != snapshot.take?.id else { return }
    if let former = seat?.take {
      stopped(former.id, next: snapshot.take)
    } else if let take = snapshot.take {
      started(take)
    }
  }

  private mutating func tell(_ changes: [KurentoRoster.Change]) {
    for change in changes {
      switch change {
      case .joined(let musician): tell(.participantJoined(musician.name))
      case .published(let musician): tell(.participantPublished(musician.name))
      case .unpublished(let musician):
        giveUp(musician)
        tell(.participantUnpublished(musician.name))
      case .left(let musician):
        giveUp(musician)
        tell(.participantLeft(musician.name))
      }
    }
  }

  /// Gives up the subscription to a musician who stopped sending.
  private mutating func giveUp(_ musician: KurentoRoster.Musician) {
    guard let label = seat?.legs.giveUp(musician.name) else { return }
    // A connection under negotiation cannot be closed yet; its answer closes it.
    if case .subscribe(_, label, _)? = awaited?.purpose { return }
    close(label)
  }

  /// Closes a connection without waiting for the room's reply.
  mutating func close(_ label: PeerLabel) {
    outputs.append(.perform(newOperation(), .close(label)))
  }

  private mutating func started(_ take: RoomSnapshot.RollingTake) {
    seat?.take = take
    tellRecorder(KurentoRecorderEvent.started(take))
  }

  private mutating func stopped(_ take: TakeID, next: RoomSnapshot.RollingTake?) {
    if seat?.take?.id == take { seat?.take = nil }
    tellRecorder(KurentoRecorderEvent.stopped(take))
    if let next { started(next) }
  }

  private mutating func tellRecorder(_ event: JSONObject) {
    guard seat?.hearsRecorder == true else { return }
    tell(.custonNotification(event))
  }

  /// JavaScript does not know roomClosed, so it gets an eviction too.
  private mutating func close(_ reason: RoomEvent.ClosingReason) {
    switch reason {
    case .replaced, .tooSlow, .kicked, .expired: break
    case .shutdown, .roomClosed:
      if let room = seat?.room { tell(.roomClosed(room.description)) }
    }
    tell(.participantEvicted)
    let code: UInt16 =
      switch reason {
      case .replaced, .roomClosed, .kicked, .expired: 1000
      case .shutdown: 1001
      case .tooSlow: 1013
      }
    end(code: code, reason: reason.rawValue)
  }
}
