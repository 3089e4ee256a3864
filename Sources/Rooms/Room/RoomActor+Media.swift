import Logging
import Machines
import Music
import Realtime
import Recording
import Signaling

/// The packet path, and state changes of connections.
extension RoomActor {
  /// Installs a new publication: its packets go to the journal and to the others from now on.
  func install(_ publication: Publication, for member: Member) {
    member.publication = publication
    member.isAnnounced = false
    // A new stream of sequence numbers: the mix starts a new source for it.
    mix.remove(member.participant.id)
    tell(.changed(member.snapshot(at: MonotonicClock.now)), except: member)
    // The closures retain the room until the peer is closed; they run on the loop, within this actor's isolation.
    publication.peer.onPacket = { [self, weak member, weak publication] packet in
      guard let member, let publication, member.publication === publication else { return }
      received(packet, by: publication, of: member)
    }
    publication.peer.onReport = { [weak publication] report, arrival in
      guard let publication else { return }
      publication.note(report: report, at: arrival)
      for (capture, track) in publication.captures {
        capture.append(.rtcp(track: track, arrival: arrival, packet: report))
      }
    }
  }

  /// Handles one packet of a musician: first the journal, then the others, all in this call.
  private func received(_ packet: ReceivedPacket, by publication: Publication, of member: Member) {
    let isFirst = !publication.hasAudio
    let placed = publication.placed(packet)
    publication.note(placed)
    if isFirst { audioBegan(publication, of: member, at: packet.arrival) }
    shared.note(packet, of: member.participant.id, extensionID: publication.peer.incoming?.extensions.audioLevel)
    if member.consents {
      for (capture, track) in publication.captures { capture.append(rtp: placed, track: track) }
    }
    guard let source = publication.peer.incoming else { return }
    for subscriber in member.subscribers { subscriber.forward(packet, from: source, at: packet.arrival) }
    mix.offer(packet, of: member.participant.id, reading: source)
  }

  private func audioBegan(_ publication: Publication, of member: Member, at now: MonotonicTime) {
    if member.consents {
      if takes.rolling == nil, policy.recording == .call, !isClosed {
        if let quotaRefusal {
          lacksTake = true
          warn(.recordingDegraded, "This is not being recorded: \(quotaRefusal)", take: nil)
          return announce(member, at: now)
        }
        beginTake(zero: now - RoomActor.leadIn, song: nil, at: now)
      } else if let capture = takes.rolling, capture.isAhead(of: now), !publication.isAhead(of: now) {
        // Live audio has no position on a time line that a pushed file advanced ahead of the clock.
        endTake(capture, at: end(of: capture, at: now), reason: .split, tail: .zero)
        beginTake(zero: now - RoomActor.leadIn, song: capture.songTitle, at: now)
      } else if let capture = takes.rolling {
        open(publication, of: member, in: capture, at: now)
      }
    }
    announce(member, at: now)
  }

  private func announce(_ member: Member, at now: MonotonicTime) {
    if !member.isAnnounced {
      member.isAnnounced = true
      tell(.published(member.participant.id), except: member)
    }
    tell(.changed(member.snapshot(at: now)))
  }

  /// Handles a change of a member's consent to be recorded.
  func consentChanged(of member: Member) {
    guard let publication = member.publication, publication.hasAudio else { return }
    if member.consents {
      audioBegan(publication, of: member, at: MonotonicClock.now)
    } else {
      publication.captures = []
    }
  }

  // MARK: Connections

  func observe(_ peer: Peer, _ label: PeerLabel, of member: Member) {
    peer.onState = { [self, weak member, weak peer] state in
      guard let peer, let member = current(member) else { return }
      stateChanged(of: peer, label, of: member, to: state)
    }
    peer.onFailure = { [self] reason in
      logger.warning("a connection was refused", metadata: ["reason": "\(reason)"])
    }
  }

  /// The member, if still in the room.
  func current(_ member: Member?) -> Member? {
    members.first { $0 === member }
  }

  private func stateChanged(of peer: Peer, _ label: PeerLabel, of member: Member, to state: RoomEvent.PeerState) {
    let now = MonotonicClock.now
    tell(.peer(label, state), to: member)
    if let publication = member.publication, publication.peer === peer {
      let isUp = state == .connected
      if isUp || state == .disconnected {
        for (capture, track) in publication.captures { capture.append(.path(track: track, at: now, isUp: isUp)) }
      }
      tell(.changed(member.snapshot(at: now)), except: member)
    }
    // Closed or failed at the other end: it will not come back, so its label becomes free.
    if state == .closed || state == .failed, member.peers[label] === peer { closePeer(label, of: member, at: now) }
  }

  /// Closes one connection of a member and removes all references to it.
  func closePeer(_ label: PeerLabel, of member: Member, at now: MonotonicTime) {
    guard let peer = member.peers.removeValue(forKey: label) else { return }
    member.earlyCandidates[label] = nil
    unsubscribe(peer)
    if let publication = member.publication, publication.peer === peer {
      for (capture, track) in publication.captures { capture.append(.path(track: track, at: now, isUp: false)) }
      member.publication = nil
      if member.isAnnounced { tell(.unpublished(member.participant.id), except: member) }
      if current(member) != nil { tell(.changed(member.snapshot(at: now)), except: member) }
      retire(publication, label, of: member, at: now)
    } else {
      peer.close()
    }
  }
}
