import Machines
import Music
import Realtime
import Recording
import Signaling

/// Musicians who have left while packets of theirs were still missing or on their way.
extension RoomActor {
  /// All that takes are made from: what is published, and what is still waited for of those who left.
  var publications: [Publication] { members.compactMap(\.publication) + leavers.map(\.publication) }

  /// Ends a publication of somebody who consented to be recorded, at once or when a take has what it can still get of it.
  func retire(_ publication: Publication, _ label: PeerLabel, of member: Member, at now: MonotonicTime) {
    let peer = publication.peer
    // What comes without RTP comes with the word that it ends, and cannot be asked for again.
    guard member.consents, !publication.captures.isEmpty, publication.feed == nil, peer.state == .connected else {
      // A musician's goodbye ends their track; a lost connection leaves a gap.
      if publication.feed != nil || peer.state == .closed { publication.closeTracks(at: now) }
      return peer.close()
    }
    peer.finish(at: now)
    let leaver = Leaver(publication, of: member.participant.id, at: now)
    leavers.append(leaver)
    // They run on the loop, inside this actor's isolation, and hold the room until the peer is closed.
    peer.onPacket = { [self, weak leaver] packet in
      if let leaver { received(packet, of: leaver) }
    }
    peer.onState = { [self, weak leaver] state in
      guard let leaver, state == .closed || state == .failed else { return }
      end(leaver)
    }
    // Those who asked for it hear that it is over; what follows is between the connection and the take.
    if current(member) != nil { tell(.peer(label, .closed), to: member) }
  }

  private func received(_ packet: ReceivedPacket, of leaver: Leaver) {
    guard let time = leaver.time(of: packet) else { return leaver.publication.peer.seal() }
    for (capture, track) in leaver.publication.captures { capture.append(rtp: packet, track: track) }
    guard !packet.packet.payload.isEmpty else { return }
    takes.extendAbandoned(to: time + RoomActor.lastPacket)
  }

  /// Closes the connections from which nothing more is to be had.
  func closeDueLeavers(at now: MonotonicTime) {
    for leaver in leavers where !leaver.isAwaited(at: now) { end(leaver) }
  }

  /// Closes all of them.
  func endLeavers() {
    for leaver in leavers { end(leaver) }
  }

  private func end(_ leaver: Leaver) {
    guard let index = leavers.firstIndex(where: { $0 === leaver }) else { return }
    leavers.remove(at: index)
    leaver.end()
    closeDueCaptures(at: MonotonicClock.now)
    closeIfEmpty()
  }

  /// Returns when nothing more is waited for of somebody who left.
  func waitForEnd(of participant: ParticipantID) async {
    while let leaver = leavers.first(where: { $0.participant == participant }) { await leaver.waitForEnd() }
  }
}
