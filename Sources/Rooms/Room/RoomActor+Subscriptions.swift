import Machines
import Music
import Realtime
import Recording
import Signaling

/// Subscriptions to musicians' packets or to the live mix.
extension RoomActor {
  func subscribe(
    _ label: PeerLabel, to source: AudioSource, offer: String?, by member: Member
  ) async throws(RoomRefusal) -> RoomReply {
    try check(source, for: member)
    let (peer, reply) = try await connect(label, role: .sendToPeer, offer: offer, for: member)
    do throws(RoomRefusal) {
      try attach(peer, to: source, for: member)
    } catch {
      closePeer(label, of: member, at: MonotonicClock.now)
      throw error
    }
    return reply
  }

  func redirect(_ label: PeerLabel, to source: AudioSource?, by member: Member) throws(RoomRefusal) -> RoomReply {
    guard let peer = member.peers[label] else { throw unknownPeer(label) }
    if peer.role == .exchangeWithPeer { return try redirect(exchange: peer, label, to: source, by: member) }
    guard peer.role == .sendToPeer else {
      throw RoomRefusal(
        .wrongState, "\"\(label)\" sends to the room; only a subscription can be switched to another source")
    }
    if let source { try check(source, for: member) }
    unsubscribe(peer)
    if let source { try attach(peer, to: source, for: member) }
    return .done
  }

  /// Removes a connection from all sources that it receives.
  func unsubscribe(_ peer: Peer) {
    for member in members { member.subscribers.removeAll { $0 === peer } }
    mix.leave(peer)
  }

  func check(_ source: AudioSource, for member: Member) throws(RoomRefusal) {
    switch source {
    case .participant(let participant):
      _ = try publisher(participant)
      guard participant != member.participant.id || member.door.hearsItself else {
        throw RoomRefusal(.forbidden, "a musician cannot subscribe to themselves; monitor locally instead")
      }
    case .mix(without: let left?): _ = try publisher(left)
    case .mix(without: nil), .mixMinus: break
    }
  }

  func attach(_ peer: Peer, to source: AudioSource, for member: Member) throws(RoomRefusal) {
    switch source {
    case .participant(let participant): try publisher(participant).subscribers.append(peer)
    case .mix(let left): try joinMix(peer, left.map { .without($0) } ?? .everybody)
    case .mixMinus:
      try joinMix(peer, member.role == .musician ? .without(member.participant.id) : .everybody)
    }
  }

  private func publisher(_ participant: ParticipantID) throws(RoomRefusal) -> Member {
    guard let publisher = members.first(where: { $0.participant.id == participant }) else {
      throw RoomRefusal(.unknownParticipant, "\(participant) is not in \(name); the snapshot lists its members")
    }
    return publisher
  }
}
