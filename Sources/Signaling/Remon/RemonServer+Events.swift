import Machines
import Music

/// Events of the room, and what the seat answers.
extension RemonServer {
  mutating func receive(_ event: RoomEvent) {
    switch event {
    case .joined(let member), .changed(let member): note(member)
    case .left(let participant): left(participant)
    case .state(let participant, .away): stay?.lose(participant)
    case .state(let participant, _): stay?.regain(participant)
    case .candidate(let label, let candidate):
      guard stay?.leg?.label == label, let placed = stay?.leg?.gate.pass(candidate) else { return }
      tell(placed)
    case .peer(let label, .failed): lost(label)
    case .message(let sender, let text, _):
      if let stay, sender != stay.me { tell(RemonFrame("onMessage", channel: stay.channel, body: text)) }
    case .missed(_, let text, _): tell(RemonFrame("onMessage", channel: stay?.channel, body: text))
    case .closed(let reason): closed(reason)
    // This dialect has no words for takes, pairs, objects and the rest.
    default: break
    }
  }

  private mutating func note(_ member: RoomSnapshot.Member) {
    let wasPublishing = stay?.musician(member.participant.id)?.hasPublication ?? false
    guard let isNew = stay?.note(member), let stay, member.participant.id != stay.me, member.role == .musician else {
      return
    }
    switch stay.part {
    case .caller: if isNew { arrived(member) }
    case .presence, .member:
      guard wasPublishing != member.hasPublication else { return }
      tell(RemonFrame("onRoomEvent", channel: stay.cast(of: member), body: member.hasPublication ? "join" : "leave"))
    case .caster, .viewer: break
    }
  }

  /// Somebody comes into a call.
  private mutating func arrived(_ member: RoomSnapshot.Member) {
    guard let stay else { return }
    guard stay.partner == nil else { return listenToAll() }
    self.stay?.partner = member.participant.id
    self.stay?.channel.state = .connect
    // Two clients of this kind in a mesh: the second offers. Everybody else meets at Jamjar, which offers to the first.
    if !stay.isDirect(member.participant.id) { offer() }
  }

  /// A third, by another protocol: a caller has one connection, which brings all the others from now on.
  private mutating func listenToAll() {
    guard let stay, let leg = stay.leg, leg.state == .open, let partner = stay.partner, !stay.isDirect(partner) else {
      return
    }
    let source = stay.musicians.count > 1 ? AudioSource.mixMinus : .participant(partner)
    ask(.room(.redirect(leg.label, to: source)))
  }

  private mutating func left(_ participant: ParticipantID) {
    guard let (member, wasLost) = stay?.remove(participant), let stay else { return }
    switch stay.part {
    case .caller:
      if stay.partner != participant { return listenToAll() }
      if let next = stay.musicians.first, !stay.isMesh {
        self.stay?.partner = next.participant.id
        return listenToAll()
      }
      self.stay?.partner = nil
      self.stay?.channel.state = .wait
      over(wasLost, "\(member.participant.name) has left the call")
    case .viewer:
      let isOver = stay.source.map { $0 == participant } ?? stay.musicians.isEmpty
      if isOver { over(wasLost, "the cast is over") }
    case .presence, .member:
      if member.hasPublication { tell(RemonFrame("onRoomEvent", channel: stay.cast(of: member), body: "leave")) }
    case .caster: break
    }
  }

  /// The other side has left, or was lost: the client tells its application which.
  private mutating func over(_ wasLost: Bool, _ sentence: String) {
    var channel = stay?.channel
    channel?.state = .close
    hangUp()
    if wasLost {
      tell(RemonFrame("onStateChange", channel: channel, body: RemonState.close.rawValue))
    } else {
      tell(RemonFrame("onDisconnectChannel", channel: channel, body: sentence))
    }
  }

  private mutating func closed(_ reason: RoomEvent.ClosingReason) {
    let (isLoss, sentence, code): (Bool, String, UInt16) =
      switch reason {
      case .replaced: (false, "the musician came back on another connection", 1000)
      case .roomClosed: (false, "the channel was closed", 1000)
      case .kicked: (false, "a moderator has removed you from the channel", 1008)
      case .expired: (false, "your token has expired; get a new one", 1008)
      case .shutdown: (true, "the service stops", 1001)
      case .tooSlow: (true, "messages are not read quickly enough", 1013)
      }
    stay?.leg = nil
    over(isLoss, sentence)
    end(code: code, reason: sentence)
  }

  /// The client is back on another socket.
  mutating func resumed(_ snapshot: RoomSnapshot?) {
    isBack()
    tell(RemonFrame("onReconnect", channel: stay?.channel, body: "true"))
    guard let snapshot, let stay else { return }
    let present = Set(snapshot.members.map(\.participant.id))
    for member in stay.musicians where !present.contains(member.participant.id) { left(member.participant.id) }
    for member in snapshot.members { note(member) }
    if let leg = self.stay?.leg, leg.state == .open, stay.part == .caller, let partner = self.stay?.partner {
      let source = (self.stay?.musicians.count ?? 0) > 1 ? AudioSource.mixMinus : .participant(partner)
      ask(.room(.redirect(leg.label, to: source)), for: .check(leg.label))
    }
  }

  // MARK: Replies

  mutating func replied(_ purpose: Purpose, _ reply: RemonReply) {
    switch (purpose, reply) {
    case (.present(let frame), .pass(let pass)): bound(pass, by: frame)
    case (.present(let frame), .former(let session)): isOfFormer(session, frame)
    case (.find(let channel), .source(let source)): found(source, channel)
    case (.search, .list(let list)): tell(RemonFrame("onSearch", body: list.text))
    case (.answer(let label), .room(.answer(_, let sdp))): send("answer", sdp, label)
    case (.offer(let label), .room(.offer(_, let sdp))): send("offer", sdp, label)
    case (.upgrade, _): hasLeftPresence()
    case (.leave, _): end(code: 1000, reason: "bye")
    default: break
    }
  }

  private mutating func found(_ source: RemonSource, _ wanted: RemonChannel) {
    guard let pass, stay == nil, wish == nil else { return }
    var channel = wanted
    channel.serviceID = pass.serviceID
    do throws(RemonFault) {
      try enter(source.room, channel, as: .viewer, source: source.participant)
    } catch {
      complain(error, about: "create", channel)
    }
  }

  mutating func refused(_ purpose: Purpose, _ refusal: RoomRefusal) {
    switch purpose {
    case .present(let frame): isUnbound(RemonFault(refusal), frame)
    case .join: notJoined(refusal)
    case .find(let channel): complain(RemonFault(refusal), about: "create", channel)
    case .offer(let label):
      complain(RemonFault(refusal), about: "sdp", stay?.channel)
      if stay?.leg?.label == label { stay?.leg = nil }
    case .answer(let label):
      if stay?.leg?.label == label { stay?.leg = nil }
      ask(.room(.close(label)))
      complain(RemonFault(refusal), about: "sdp", stay?.channel)
    case .check(let label): lost(label)
    // A candidate of a connection that has just ended is no mistake of the client.
    case .report where refusal.code == .unknownPeer: break
    case .report, .search: complain(RemonFault(refusal), about: nil, stay?.channel)
    case .upgrade: hasLeftPresence()
    case .leave: end(code: 1000, reason: "bye")
    }
  }
}
