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
    if publication.stem == nil {
      // Those of a sender that this one replaces.
      for stem in member.stems where stem.link != publication.link {
        if let (label, _) = member.peers.first(where: { $0.value === stem.peer }) {
          closePeer(label, of: member, at: MonotonicClock.now)
        }
      }
      if mutesNewcomers, member.publication == nil { silence(member, true, as: nil) }
      member.publication = publication
      member.isAnnounced = false
      // What the former connection was like says nothing of this one.
      member.quality = nil
      // A new stream of sequence numbers: the mix starts a new source for it.
      mix.remove(member.participant.id)
      tell(.changed(member.snapshot(at: MonotonicClock.now)), except: member)
    } else {
      member.stems.append(publication)
    }
    // The closures retain the room until the peer is closed; they run on the loop, within this actor's isolation.
    publication.peer.onPacket = { [self, weak member, weak publication] packet in
      guard let member, let publication, member.owns(publication) else { return }
      received(packet, by: publication, of: member)
    }
    publication.peer.onReport = { [weak publication] report, arrival in
      guard let publication else { return }
      publication.note(report: report, at: arrival)
      for (capture, track) in publication.captures {
        capture.append(.rtcp(track: track, arrival: arrival, packet: report))
      }
    }
    publication.peer.onRoundTrip = { [weak publication] trip, arrival in
      guard let publication else { return }
      publication.note(roundTrip: trip, at: arrival)
      for (capture, track) in publication.captures {
        capture.append(.checkTrip(track: track, arrival: arrival, trip))
      }
    }
    publication.peer.checkPath()
  }

  /// Handles one packet of a musician: first the journal, then the others, all in this call.
  private func received(_ arrived: ReceivedPacket, by publication: Publication, of member: Member) {
    // Before everything that listens, like a musician's own mute.
    guard let packet = member.isMuted ? arrived.silenced(as: publication.peer.incoming) : arrived else { return }
    let isFirst = !publication.hasAudio
    // Talk is for the others' ears: what is kept of it, and what a later take finds before its beginning, is silence.
    let isTalking = member.sound(at: packet.arrival) == .talkback
    let isTalk = publication.talk.covers(packet.extendedSequence, isTalking: isTalking)
    let kept = isTalk ? packet.silenced(as: publication.peer.incoming) : packet
    let placed = kept.map(publication.placed)
    if let placed { publication.note(placed) }
    if isFirst { audioBegan(publication, of: member, at: packet.arrival) }
    if member.consents, let placed {
      for (capture, track) in publication.captures {
        capture.note(talk: isTalking, track: track, at: packet.arrival)
        capture.append(rtp: placed, track: track)
      }
    }
    guard publication.stem == nil else { return }
    shared.note(packet, of: member.participant.id, extensionID: publication.peer.incoming?.extensions.audioLevel)
    guard let source = publication.peer.incoming else { return }
    for subscriber in member.subscribers { subscriber.forward(packet, from: source, at: packet.arrival) }
    var heard = packet
    // The arrivals of converted streams are those of their sound, before the codec; the mix waits for packets as they come.
    if publication.feed != nil { heard.arrival = max(packet.arrival, MonotonicClock.now) }
    mix.offer(heard, of: member.participant.id, reading: source)
    if let id = source.extensions.audioLevel, let level = packet.packet.audioLevel(id) {
      publication.quality.note(level: level.belowFullScale)
    }
  }

  private func audioBegan(_ publication: Publication, of member: Member, at now: MonotonicTime) {
    defer { if publication.stem == nil { announce(member, at: now) } }
    if member.consents {
      if takes.rolling == nil, policy.recording == .call, !isStopped, !isClosed {
        if let quotaRefusal {
          lacksTake = true
          return warn(.recordingDegraded, "This is not being recorded: \(quotaRefusal)", take: nil)
        }
        beginTake(zero: now - RoomActor.leadIn, song: nil, at: now)
      } else if let capture = takes.rolling, capture.isAhead(of: now),
        !member.publications.contains(where: { $0.isAhead(of: now) })
      {
        // Live audio has no position on a time line that a pushed file advanced ahead of the clock.
        endTake(capture, at: end(of: capture, at: now), reason: .split, tail: .zero)
        // What the file's sender sends from now on is on the clock's time line again, long before that take's end.
        for publication in publications { publication.captures.removeAll { $0.capture === capture } }
        beginTake(zero: now - RoomActor.leadIn, song: capture.songTitle, at: now)
      } else if let capture = takes.rolling {
        open(publication, of: member, in: capture, at: now)
      }
    }
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
    for publication in member.publications where publication.hasAudio {
      if member.consents {
        audioBegan(publication, of: member, at: MonotonicClock.now)
      } else {
        publication.captures = []
      }
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
    // With what its end sends.
    let isOnNetwork = peer.isOnNetwork
    defer { if isOnNetwork { peer.traffic.report(to: services.traffic, by: member.door) } }
    member.earlyCandidates[label] = nil
    unsubscribe(peer)
    if let stem = member.stems.first(where: { $0.peer === peer }) {
      for (capture, track) in stem.captures { capture.append(.path(track: track, at: now, isUp: false)) }
      member.stems.removeAll { $0 === stem }
      retire(stem, label, of: member, at: now)
    } else if let publication = member.publication, publication.peer === peer {
      for (capture, track) in publication.captures { capture.append(.path(track: track, at: now, isUp: false)) }
      if let heir = heir(of: member, without: peer) {
        // The same microphone comes on another connection too: for the others, nothing changes.
        inherit(Publication(peer: heir, origin: publication.origin), for: member)
        return retire(publication, label, of: member, at: now)
      }
      member.publication = nil
      if member.isAnnounced { tell(.unpublished(member.participant.id), except: member) }
      if current(member) != nil { tell(.changed(member.snapshot(at: now)), except: member) }
      retire(publication, label, of: member, at: now)
    } else {
      peer.close()
    }
  }
}
