import Machines
import Music
import Realtime
import Recording
import Signaling

/// Musicians who have left while some of their packets were missing or on their way.
extension RoomActor {
  /// All sources of the takes: current publications, and those of leavers.
  var publications: [Publication] { members.flatMap(\.publications) + leavers.map(\.publication) }

  /// Ends a publication of a member who consented to be recorded: at once, or when the take has everything it can
  /// still get.
  func retire(_ publication: Publication, _ label: PeerLabel, of member: Member, at now: MonotonicTime) {
    let peer = publication.peer
    noteQuality(of: publication, by: member, at: now)
    // Audio without RTP is complete when its end is reported, and cannot be requested again.
    guard member.consents, !publication.captures.isEmpty, publication.feed == nil, peer.state == .connected else {
      // A musician's goodbye ends their track; a lost connection leaves a gap.
      if publication.feed != nil || peer.state == .closed { publication.closeTracks(at: now) }
      return peer.close()
    }
    peer.finish(at: now)
    let leaver = Leaver(
      publication, of: member.participant.id, by: member.door, isMuted: member.isMuted,
      isTalking: member.sound(at: now) == .talkback, at: now)
    leavers.append(leaver)
    // They run on the loop, within this actor's isolation, and retain the room until the peer is closed.
    peer.onPacket = { [self, weak leaver] packet in
      if let leaver { received(packet, of: leaver) }
    }
    peer.onState = { [self, weak leaver] state in
      guard let leaver, state == .closed || state == .failed else { return }
      end(leaver)
    }
    // The client that requested the connection is told that it is closed; the rest concerns only the connection and
    // the take.
    if current(member) != nil { tell(.peer(label, .closed), to: member) }
  }

  private func received(_ arrived: ReceivedPacket, of leaver: Leaver) {
    guard let time = leaver.time(of: arrived) else { return leaver.publication.peer.seal() }
    guard let packet = leaver.audible(arrived) else { return }
    for (capture, track) in leaver.publication.captures { capture.append(rtp: packet, track: track) }
    guard !packet.packet.payload.isEmpty else { return }
    takes.extendAbandoned(to: time + RoomActor.lastPacket)
  }

  /// Closes connections from which nothing more can be expected; what their sockets hold is read first.
  func closeDueLeavers() {
    let now = loop.readThrough
    for leaver in leavers where !leaver.isAwaited(at: now) { end(leaver) }
  }

  /// Closes all of them.
  func endLeavers() {
    for leaver in leavers { end(leaver) }
  }

  private func end(_ leaver: Leaver) {
    guard let index = leavers.firstIndex(where: { $0 === leaver }) else { return }
    leavers.remove(at: index)
    let peer = leaver.publication.peer
    let isOnNetwork = peer.isOnNetwork
    leaver.end()
    // What came since they left.
    if isOnNetwork { peer.traffic.report(to: services.traffic, by: leaver.door) }
    closeDueCaptures()
    closeIfEmpty()
  }

  /// Waits until no more packets are expected from a departed musician.
  func waitForEnd(of participant: ParticipantID) async {
    while let leaver = leavers.first(where: { $0.participant == participant }) { await leaver.waitForEnd() }
  }
}
