import Machines
import Music
import Realtime
import Recording
import Signaling

/// Connections of clients that believe in a mesh: each carries the member's microphone to the room, and one other
/// musician back.
///
/// A client with two of them sends the same sound twice. Only one is its publication, which is journaled and forwarded;
/// the packets of the other are received (NACK, reports) and dropped. If the publication's connection ends or falls
/// silent, the other takes its place, on the same track.
extension RoomActor {
  func exchange(
    _ label: PeerLabel, with other: ParticipantID, offer: String?, by member: Member
  ) async throws(RoomRefusal) -> RoomReply {
    guard member.role == .musician else {
      throw RoomRefusal(.forbidden, "a listener cannot publish; join as a musician")
    }
    try member.check(.hear, on: .room(name))
    try check(.participant(other), for: member)
    let role = try offer.map { text throws(RoomRefusal) in exchangeRole(for: try parse(text)) } ?? .exchangeWithPeer
    let (peer, reply) = try await connect(label, role: role, offer: offer, for: member)
    do throws(RoomRefusal) {
      if role != .receiveFromPeer { try attach(peer, to: .participant(other), for: member) }
    } catch {
      closePeer(label, of: member, at: MonotonicClock.now)
      throw error
    }
    if role != .sendToPeer { standBy(peer, for: member) }
    return reply
  }

  /// A client without a microphone, or one that hears nothing, offers half of it.
  private func exchangeRole(for offer: SessionDescription) -> Negotiation.Role {
    let audio = offer.media.first { $0.media == "audio" && $0.isEnabled }
    for attribute in audio?.attributes ?? [] {
      switch attribute.name {
      case "recvonly": return .sendToPeer
      case "sendonly": return .receiveFromPeer
      default: break
      }
    }
    return .exchangeWithPeer
  }

  /// Lets a connection wait for its turn: it becomes the publication with its first packet if nothing else is heard.
  ///
  /// The closure runs on the loop, within this actor's isolation, and retains the room until the peer is closed.
  private func standBy(_ peer: Peer, for member: Member) {
    peer.onPacket = { [self, weak member, weak peer] packet in
      guard let peer, let member = current(member), isNeeded(peer, for: member, at: packet.arrival) else { return }
      succeed(with: peer, for: member, at: packet.arrival)
      peer.onPacket(packet)
    }
    peer.onReport = { _, _ in }
  }

  /// True if no other connection of the member brings sound.
  private func isNeeded(_ peer: Peer, for member: Member, at now: MonotonicTime) -> Bool {
    guard let publication = member.publication else { return true }
    guard publication.peer !== peer, publication.feed == nil else { return false }
    guard let last = publication.lastArrival else { return true }
    return now - last > Publication.silence
  }

  /// Makes a connection the publication, instead of one that has fallen silent.
  private func succeed(with peer: Peer, for member: Member, at now: MonotonicTime) {
    if let former = member.publication {
      for (capture, track) in former.captures { capture.append(.path(track: track, at: now, isUp: false)) }
      former.captures = []
      standBy(former.peer, for: member)
    }
    inherit(Publication(peer: peer, origin: origin(of: member)), for: member)
  }

  /// Installs the same microphone by another connection: for the others, nothing begins or ends.
  func inherit(_ publication: Publication, for member: Member) {
    let isAnnounced = member.isAnnounced
    install(publication, for: member)
    member.isAnnounced = isAnnounced
  }

  /// Another connection with the member's microphone, if the publication's ends.
  func heir(of member: Member, without peer: Peer) -> Peer? {
    guard current(member) != nil, peer.role != .sendToPeer else { return nil }
    let others = member.peers.sorted { $0.key.description < $1.key.description }.map(\.value)
    return others.first { other in
      other !== peer && other.role == .exchangeWithPeer && other.negotiated?.direction != .sendOnly
        && other.state == .connected
    }
  }

  /// Attaches the source of such a connection once more; a client that was away learns that it still works.
  func redirect(
    exchange peer: Peer, _ label: PeerLabel, to source: AudioSource?, by member: Member
  ) throws(RoomRefusal) -> RoomReply {
    guard peer.state == .connected else {
      throw RoomRefusal(.wrongState, "\"\(label)\" has no path at present; offer it again")
    }
    if let source { try check(source, for: member) }
    unsubscribe(peer)
    if let source { try attach(peer, to: source, for: member) }
    return .done
  }

  /// Answers an offer with unchanged ICE credentials, which changes only limits; nil if it restarts ICE.
  func renegotiate(_ peer: Peer, _ agent: PathAgent, _ offer: SessionDescription) -> String? {
    guard var description = peer.description, let transport = localTransport(of: agent),
      let known = description.remoteCredentials,
      let (answer, negotiated) = try? description.answer(to: offer, transport: transport),
      negotiated.remoteCredentials == known
    else { return nil }
    peer.description = description
    return answer
  }
}
