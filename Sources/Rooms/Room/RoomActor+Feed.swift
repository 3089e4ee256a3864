import Machines
import Music
import Realtime
import Recording
import Signaling

/// Musicians whose audio arrives by other means than RTP. Their packets are converted to a plain RTP stream, so that
/// journal, render, live mix and the others' connections need no special case.
extension RoomActor {
  private static let feedLabel = "feed"
  private static let feedPayloadType: UInt8 = 111

  func openFeed(
    of participant: ParticipantID, link: UInt64, origin: String, isStereo: Bool
  ) throws(RoomRefusal) -> PeerLabel {
    guard let member = member(participant, link: link), let label = PeerLabel(RoomActor.feedLabel) else {
      throw RoomRefusal(.notJoined, "this link no longer has a seat; join again")
    }
    try member.check(.publish, on: .room(name))
    guard member.role == .musician else {
      throw RoomRefusal(.forbidden, "a listener cannot publish; join as a musician")
    }
    if let former = member.publication?.peer,
      let (old, _) = member.peers.first(where: { $0.value === former })
    {
      closePeer(old, of: member, at: MonotonicClock.now)
    }
    let ssrc = UInt32.random(in: 1 ... .max)
    var configuration = PeerSession.Configuration(localSSRC: ssrc, cname: Peer.cname)
    // A feed can neither retransmit packets nor read reports.
    configuration.nack = nil
    configuration.asksForDelay = false
    let peer = Peer(
      loop: loop, transport: SilentTransport(), session: PeerSession(plain: configuration), ssrc: ssrc,
      source: Forwarder.Source(opusPayloadType: RoomActor.feedPayloadType))
    member.peers[label] = peer
    observe(peer, label, of: member)
    let publication = Publication(peer: peer, origin: origin, isStereo: isStereo)
    publication.feed = FeedWriter(
      header: RTPWriter(payloadType: RoomActor.feedPayloadType, sequenceNumber: 0, timestamp: 0, ssrc: ~ssrc))
    install(publication, for: member)
    return label
  }

  func feed(
    _ packets: [AudioFeed.Packet], into label: PeerLabel, of participant: ParticipantID, link: UInt64
  ) async throws(RoomRefusal) {
    for packet in packets {
      var publication = try feeding(label, of: participant, link: link)
      publication.feed?.place(packet.due, isAlone: isAlone(publication), at: MonotonicClock.now)
      // Musicians who play together follow the clock.
      while let time = publication.feed?.time, !isAlone(publication), time > MonotonicClock.now {
        await pause(min(time - MonotonicClock.now, RoomActor.longestWait)) { false }
        publication = try feeding(label, of: participant, link: link)
      }
      give(packet, to: publication)
    }
  }

  /// Maximum interval between checks whether the others are still there.
  private static let longestWait = MonotonicTime.Span.milliseconds(200)

  private func feeding(
    _ label: PeerLabel, of participant: ParticipantID, link: UInt64
  ) throws(RoomRefusal) -> Publication {
    guard let member = member(participant, link: link) else {
      throw RoomRefusal(.notJoined, "this link no longer has a seat; join again")
    }
    guard let publication = member.publication, publication.feed != nil, member.peers[label] === publication.peer
    else { throw unknownPeer(label) }
    return publication
  }

  /// True if nobody else is heard.
  private func isAlone(_ publication: Publication) -> Bool {
    !members.contains { $0.publication.map { $0 !== publication && $0.hasAudio } ?? false }
  }

  private func give(_ packet: AudioFeed.Packet, to publication: Publication) {
    guard var header = publication.feed?.header else { return }
    header.timestamp = UInt32(truncatingIfNeeded: packet.timestamp)
    header.packet(payload: packet.opus).withUnsafeBytes { bytes in
      _ = publication.peer.received(bytes, at: packet.arrival)
    }
    header.sequenceNumber &+= 1
    publication.feed?.header = header
  }

  func closeFeed(_ label: PeerLabel, of participant: ParticipantID, link: UInt64) {
    guard let member = member(participant, link: link), member.publication?.feed != nil else { return }
    closePeer(label, of: member, at: MonotonicClock.now)
  }
}

/// Members who listen by other means than RTP: a subscription whose packets stay within the process.
extension RoomActor {
  private static let tapPayloadType: UInt8 = 111

  func openTap(
    to source: AudioSource, by participant: ParticipantID, link: UInt64
  ) throws(RoomRefusal) -> AudioTap {
    guard let member = member(participant, link: link) else {
      throw RoomRefusal(.notJoined, "this link no longer has a seat; join again")
    }
    try member.check(.hear, on: .room(name))
    try check(source, for: member)
    guard member.peers.count < RoomActor.maximumPeers, let label = PeerLabel("tap-\(UInt64.random(in: .min ... .max))")
    else {
      throw RoomRefusal(.tooMany, "\(member.peers.count) connections are already open; close one")
    }
    let ssrc = UInt32.random(in: 1 ... .max)
    let transport = TapTransport()
    var configuration = PeerSession.Configuration(localSSRC: ssrc, cname: Peer.cname, mayReceive: false, maySend: true)
    configuration.nack = nil
    let session = PeerSession(
      plain: configuration, forwarding: Forwarder.Configuration(ssrc: ssrc, payloadType: RoomActor.tapPayloadType))
    let peer = Peer(
      loop: loop, transport: transport, session: session, ssrc: ssrc,
      source: Forwarder.Source(opusPayloadType: RoomActor.tapPayloadType), role: .sendToPeer)
    member.peers[label] = peer
    observe(peer, label, of: member)
    do throws(RoomRefusal) {
      try attach(peer, to: source, for: member)
    } catch {
      closePeer(label, of: member, at: MonotonicClock.now)
      throw error
    }
    return AudioTap(label: label, packets: transport.packets)
  }
}
