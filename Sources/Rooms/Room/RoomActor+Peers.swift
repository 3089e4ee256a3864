import Logging
import Machines
import Music
import Realtime
import Recording
import Signaling

extension RoomActor {
  /// Maximum number of connections per member: one publication, and a subscription to everyone else, with some to
  /// spare.
  static let maximumPeers = 16
  /// Maximum number of candidates kept before their offers: those of some connections, each with `CandidatePolicy.limit`.
  static let maximumEarlyCandidates = 4 * CandidatePolicy.limit

  // MARK: Commands

  func publish(
    _ label: PeerLabel, offer: String?, loopsBack: Bool, by member: Member
  ) async throws(RoomRefusal) -> RoomReply {
    guard member.role == .musician else {
      throw RoomRefusal(.forbidden, "a listener cannot publish; join as a musician")
    }
    let (peer, reply) = try await connect(
      label, role: loopsBack ? .exchangeWithPeer : .receiveFromPeer, offer: offer, for: member)
    if let former = member.publication, former.peer !== peer {
      // A musician has one publication: a new one continues the old one's track.
      if let (old, _) = member.peers.first(where: { $0.value === former.peer }) {
        closePeer(old, of: member, at: MonotonicClock.now)
      }
    }
    let publication = Publication(peer: peer, origin: origin(of: member))
    install(publication, for: member)
    if loopsBack { member.subscribers.append(peer) }
    return reply
  }

  /// The dialect of a musician, for the journal.
  func origin(of member: Member) -> String {
    if let origin = member.origin { return origin }
    if member.door.isNamedInJournals { return member.door.rawValue }
    return member.link?.kind == .resource ? "whip" : "webrtc"
  }

  func accept(answer text: String, _ label: PeerLabel, by member: Member) throws(RoomRefusal) -> RoomReply {
    guard let peer = member.peers[label], let agent = peer.agent else { throw unknownPeer(label) }
    let answer = try parse(text)
    do throws(NegotiationError) {
      guard let negotiated = try peer.description?.accept(answer) else {
        throw NegotiationError.noAudio
      }
      peer.negotiate(negotiated, at: MonotonicClock.now)
      apply(negotiated, to: agent, early: member.earlyCandidates.removeValue(forKey: label) ?? [])
    } catch {
      throw RoomRefusal(.invalidDescription, "\(error)")
    }
    return .done
  }

  func add(_ message: CandidateMessage, _ label: PeerLabel, by member: Member) throws(RoomRefusal) -> RoomReply {
    // Not every dialect bounds its candidates, and they may wait here.
    guard message.candidate.utf8.count <= CandidateMessage.maximumLength else {
      throw RoomRefusal(
        .invalidCandidate, "the candidate is too long; it must have \(CandidateMessage.maximumLength) bytes at most")
    }
    guard let peer = member.peers[label], peer.negotiated != nil, let agent = peer.agent else {
      // Candidates arrive before the answer to their offer, and even before the offer (trickle).
      let total = member.earlyCandidates.values.reduce(0) { $0 + $1.count }
      guard total < RoomActor.maximumEarlyCandidates,
        member.earlyCandidates[label, default: []].count < CandidatePolicy.limit
      else {
        throw RoomRefusal(
          .tooMany,
          "\(total) candidates already wait for an offer; send the offer first (\(CandidatePolicy.limit) candidates of a "
            + "connection at most, \(RoomActor.maximumEarlyCandidates) together)")
      }
      member.earlyCandidates[label, default: []].append(CandidateMessage(candidate: message.candidate))
      return .done
    }
    guard message.candidate.isEmpty || !agent.screen.isFull else {
      throw RoomRefusal(.tooMany, "\(CandidatePolicy.limit) candidates of this connection are already known")
    }
    apply(message, to: agent)
    return .done
  }

  func restart(_ label: PeerLabel, offer text: String, by member: Member) async throws(RoomRefusal) -> RoomReply {
    guard let peer = member.peers[label], let agent = peer.agent else { throw unknownPeer(label) }
    let offer = try parse(text)
    if peer.role == .exchangeWithPeer, let answer = renegotiate(peer, agent, offer) {
      return .answer(label, sdp: answer)
    }
    agent.restart()
    guard let transport = localTransport(of: agent), peer.description != nil else {
      throw RoomRefusal(.unavailable, "ICE provided no credentials for the restart; publish again")
    }
    do throws(NegotiationError) {
      guard let (answer, negotiated) = try peer.description?.answer(to: offer, transport: transport) else {
        throw NegotiationError.noAudio
      }
      apply(negotiated, to: agent, early: [])
      return .answer(label, sdp: answer)
    } catch {
      throw RoomRefusal(.invalidDescription, "\(error)")
    }
  }

  // MARK: Making a connection

  /// Creates a peer and negotiates: answers `offer`, or makes an offer if it is nil.
  func connect(
    _ label: PeerLabel, role: Negotiation.Role, offer text: String?, for member: Member
  ) async throws(RoomRefusal) -> (Peer, RoomReply) {
    let offer = try text.map { text throws(RoomRefusal) in try parse(text) }
    guard member.peers.count < RoomActor.maximumPeers || member.peers[label] != nil else {
      throw RoomRefusal(
        .tooMany, "\(member.peers.count) connections are already open; close one (\(RoomActor.maximumPeers) at most)")
    }
    let agent: PathAgent
    do throws(PathError) {
      agent = try PathAgent(loop: loop, configuration: services.configuration.ice, isControlling: offer == nil)
      try agent.gather()
    } catch {
      logger.error("no ICE agent", metadata: ["error": "\(error)"])
      throw RoomRefusal(.unavailable, "no media port could be opened on the server: \(error)")
    }
    if services.configuration.ice.gathersRemotely { await gathered(agent) }
    // Nobody would close the connection of a member who was removed meanwhile.
    guard current(member) != nil else {
      agent.close()
      throw RoomRefusal(.notJoined, "this link no longer has a seat; join again")
    }
    guard let transport = localTransport(of: agent) else {
      agent.close()
      throw RoomRefusal(.unavailable, "ICE provided no credentials; try again")
    }
    let ssrc = UInt32.random(in: 1 ... .max)
    var description = PeerDescription(
      role: role, audio: services.configuration.audio, fingerprint: services.certificate.fingerprint, ssrc: ssrc,
      cname: Peer.cname)
    // No take depends on the round trip to a listener.
    let peer = Peer(
      loop: loop, agent: agent, certificate: services.certificate, ssrc: ssrc, role: role,
      probesOften: role != .sendToPeer)
    let reply: RoomReply
    if let offer {
      do throws(NegotiationError) {
        let (answer, negotiated) = try description.answer(to: offer, transport: transport)
        peer.negotiate(negotiated, at: MonotonicClock.now)
        reply = .answer(label, sdp: answer)
      } catch {
        peer.close()
        throw RoomRefusal(.invalidDescription, "\(error)")
      }
    } else {
      reply = .offer(label, sdp: description.offer(transport: transport))
    }
    peer.description = description
    // The same label replaces the connection: the page was reloaded.
    if member.peers[label] != nil { closePeer(label, of: member, at: MonotonicClock.now) }
    member.peers[label] = peer
    listen(to: peer, agent, label, of: member)
    if let negotiated = peer.negotiated {
      apply(negotiated, to: agent, early: member.earlyCandidates.removeValue(forKey: label) ?? [])
    }
    return (peer, reply)
  }

  /// Connects agent, session and room. The closures run on the loop, within this actor's isolation.
  private func listen(to peer: Peer, _ agent: PathAgent, _ label: PeerLabel, of member: Member) {
    agent.onDatagram = { [unowned peer] datagram, now, arrival in peer.received(datagram, at: now, arrival: arrival) }
    agent.onState = { [unowned peer] state in peer.pathChanged(to: state, at: MonotonicClock.now) }
    agent.onCandidate = { [self, weak member] candidate in
      guard let member = current(member) else { return }
      tell(.candidate(label, CandidateMessage(candidate: candidate)), to: member)
    }
    observeRefusals(of: agent, by: member)
    observe(peer, label, of: member)
  }
}
