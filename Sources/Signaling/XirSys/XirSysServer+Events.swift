import Machines
import Music

/// Messages of the client, and events of the room.
extension XirSysServer {
  mutating func receive(_ frame: XirSysFrame) {
    guard me != nil, let roster else { return }
    switch frame {
    case .nothing: break
    case .peers: tellPeers()
    case .message(let message, let target):
      listener.heard(message)
      guard let target else {
        // To everybody: an application's own words. Descriptions are for one, unless apps know better.
        if message.content == .other || isMesh { relay(message, to: nil) }
        return
      }
      guard let musician = roster.musician(named: target) else { return missed(message, by: target) }
      if message.content == .other || isDirect(musician.id) {
        relay(message, to: target)
      } else {
        negotiate(message, with: musician)
      }
    }
  }

  private mutating func negotiate(_ message: XirSysMessage, with musician: KurentoRoster.Musician) {
    switch message.content {
    case .offer(let sdp): offered(sdp, message.connection, to: musician.id)
    case .answer(let sdp): answered(sdp, by: musician.id)
    case .candidate(let candidate): add(candidate, for: musician.id)
    case .bye:
      hangUp(musician.id)
      relay(message, to: musician.name)
    case .other: break
    }
  }

  /// A message came too late for somebody who has left. An offer's sender would wait for ever.
  private mutating func missed(_ message: XirSysMessage, by target: String) {
    guard let me, case .offer = message.content else { return }
    let bye = XirSysMessage(.bye, connection: message.connection)
    outputs.append(.notify(listener.text(bye, from: target, to: me.name)))
  }

  private mutating func relay(_ message: XirSysMessage, to target: String?) {
    guard mayPassOn() else { return }
    outputs.append(.perform(newOperation(), .relay(message, to: target)))
  }

  /// A message of another client of XirSys.
  mutating func relayed(_ message: XirSysMessage, from sender: String) {
    guard let me else { return }
    if message.content != .other {
      let musician = roster?.musician(named: sender)
      if let musician, !isDirect(musician.id) {
        // Connections that end at Jamjar: only their end concerns the other.
        if message.content == .bye { giveUp(musician.id) }
        return
      }
      // A goodbye may come after its sender has left; an offer from a name that is not there ends PerchRTC.
      guard musician != nil || (isMesh && message.content == .bye) else { return }
    }
    outputs.append(.notify(listener.text(message, from: sender, to: me.name)))
  }

  mutating func receive(_ event: RoomEvent) {
    switch event {
    case .joined(let member), .changed(let member):
      note([member])
      tell(roster?.apply(member) ?? [])
    case .left(let participant):
      forget(participant)
      tell(roster?.remove(participant) ?? [])
    case .candidate(let label, let candidate): tell(candidate, of: label)
    case .peer(let label, let state): connectionChanged(label, to: state)
    case .closed(let reason): closed(reason)
    // This dialect has no words for takes, chat, objects and the rest.
    default: break
    }
  }

  private mutating func tell(_ changes: [KurentoRoster.Change]) {
    for change in changes {
      switch change {
      case .joined(let musician): outputs.append(.notify(listener.connected(musician.name)))
      case .left(let musician):
        // The goodbye first: without it the client would keep a connection that still works.
        giveUp(musician.id, name: musician.name)
        outputs.append(.notify(listener.removed(musician.name)))
      case .published, .unpublished: break
      }
    }
  }

  private mutating func closed(_ reason: RoomEvent.ClosingReason) {
    switch reason {
    case .replaced: end(saying: "the musician came back", code: 1000)
    case .roomClosed: end(saying: "the room was closed", code: 1000)
    case .kicked: end(saying: "a moderator has removed you from the room", code: 1008)
    case .expired: end(saying: "your token has expired; get a new one", code: 1008)
    case .shutdown: end(saying: "the service stops", code: 1001)
    case .tooSlow: end(saying: "messages are not read quickly enough", code: 1013)
    }
  }

  // MARK: Replies

  mutating func replied(_ operation: OperationNumber, _ reply: RoomReply) {
    switch (awaited.removeValue(forKey: operation), reply) {
    case (.offer(let id, let label)?, .offer(_, let sdp)): send(offer: sdp, label, as: id)
    case (.answer(let id, let label, let connection)?, .answer(_, let sdp)):
      send(answer: sdp, label, connection: connection, as: id)
    case (.check(let id, let label)?, _): if legs[id]?.label == label { legs.succeeded(id) }
    default: break
    }
  }

  mutating func refused(_ operation: OperationNumber, _ refusal: RoomRefusal) {
    switch awaited.removeValue(forKey: operation) {
    // Words for people: the client shows them, or at least logs them.
    case .join?: end(saying: refusal.code == .unauthorized ? XirSysListener.invalidToken : refusal.description)
    case .offer(let id, let label)?, .check(let id, let label)?:
      guard legs[id]?.label == label else { return }
      lost(id)
    case .answer(let id, let label, let connection)?:
      guard legs[id]?.label == label else { return }
      // The client's entry for this musician would stay and wait for ever.
      _ = legs.forget(id)
      say(.bye, connection: connection, as: id)
      ask(.close(label))
    case nil: break
    }
  }
}
