import Logging
import Machines
import Music
import Recording
import Signaling

/// The direct connections between musicians. The room passes their messages on unread; what it decides is in `Mesh`.
///
/// Nothing here touches the recording: in a mesh room each musician sends to the service as in a routed one, and a pair
/// that is not connected directly hears each other through it.
extension RoomActor {
  func enterMesh(_ member: Member) throws(RoomRefusal) -> RoomReply {
    guard policy.topology == .mesh else {
      throw RoomRefusal(
        .wrongState, "\(name) is routed: its musicians hear each other through the service; subscribe to them")
    }
    guard member.role == .musician else {
      throw RoomRefusal(.forbidden, "a listener hears the room through the service; join as a musician")
    }
    let now = MonotonicClock.now
    try mesh.admitEntry(of: member.participant.id, at: now)
    for pair in mesh.enter(member.participant.id, isMuted: member.isMuted, at: now) { tell(.pair(pair)) }
    return .done
  }

  func relay(_ message: PairMessage, to receiver: ParticipantID, from member: Member) throws(RoomRefusal) -> RoomReply {
    let other = try partner(receiver)
    let passed = try mesh.relay(message, from: member.participant.id, to: receiver, at: MonotonicClock.now)
    // Without a link it is lost; the pair is tried again when the other comes back.
    tell(.relayed(passed, from: member.participant.id), to: other)
    return .done
  }

  func note(_ report: PairReport, about other: ParticipantID, from member: Member) throws(RoomRefusal) -> RoomReply {
    _ = try partner(other)
    let changed = try mesh.note(report, from: member.participant.id, about: other, at: MonotonicClock.now)
    if let changed { tell(changed) }
    return .done
  }

  /// Ends attempts that take too long.
  func advanceMesh(to now: MonotonicTime) {
    guard let deadline = mesh.deadline, now >= deadline else { return }
    for pair in mesh.advance(to: now) { tell(pair) }
  }

  private func tell(_ pair: MeshPair) {
    if pair.state == .failed {
      logger.notice(
        "two musicians have no direct path and hear each other through the service",
        metadata: ["participant": "\(pair.offers)", "other": "\(pair.answers)"])
    }
    tell(.pair(pair))
  }

  private func partner(_ participant: ParticipantID) throws(RoomRefusal) -> Member {
    guard let member = members.first(where: { $0.participant.id == participant }) else {
      throw RoomRefusal(.unknownParticipant, "\(participant) is not in \(name); the snapshot lists its members")
    }
    return member
  }

  /// Chooses how the musicians hear each other from now on; all direct connections end.
  /// - Throws: `RoomRefusal` `.storage` if the choice cannot be written down; nothing has changed then.
  func choose(_ topology: RoomPolicy.Topology) async throws(RoomRefusal) {
    try await services.topologies.choose(topology, in: name)
    // The last of several choices at once, as it is on disk.
    let topology = services.topologies.topology(of: name)
    guard policy.topology != topology else { return }
    policy.topology = topology
    mesh.clear()
    logger.notice("topology chosen", metadata: ["topology": "\(topology.rawValue)"])
    tell(.topology(topology))
  }
}
