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
    of participant: ParticipantID, link: UInt64, origin: String, codec: String, isStereo: Bool,
    stem: AudioStem?
  ) throws(RoomRefusal) -> PeerLabel {
    let text = RoomActor.feedLabel + (stem.map { "-\($0.number)" } ?? "")
    guard let member = member(participant, link: link), let label = PeerLabel(text) else {
      throw RoomRefusal(.notJoined, "this link no longer has a seat; join again")
    }
    try member.check(.publish, on: .room(name))
    guard member.role == .musician else {
      throw RoomRefusal(.forbidden, "a listener cannot publish; join as a musician")
    }
    for former in member.publications where former.link != link || former.stem?.number == stem?.number {
      // The sender's former connection, or a new configuration of this track. Nobody but a new first track replaces the
      // musician's audio of other kinds.
      guard stem == nil || former.stem != nil else { continue }
      if let (old, _) = member.peers.first(where: { $0.value === former.peer }) {
        closePeer(old, of: member, at: MonotonicClock.now)
      }
    }
    // A former connection of the sender may have been ahead of the clock.
    let line = member.publications.lazy.filter { $0.link == link }.compactMap { $0.feed?.line }.first ?? FeedLine()
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
    let publication = Publication(peer: peer, origin: origin, codec: codec, isStereo: isStereo, stem: stem)
    publication.link = link
    publication.feed = FeedWriter(
      header: RTPWriter(payloadType: RoomActor.feedPayloadType, sequenceNumber: 0, timestamp: 0, ssrc: ~ssrc),
      on: line)
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
    guard let publication = member.publications.first(where: { $0.peer === member.peers[label] }),
      publication.feed != nil
    else { throw unknownPeer(label) }
    return publication
  }

  /// True if nobody else is heard.
  private func isAlone(_ publication: Publication) -> Bool {
    !members.contains { !$0.owns(publication) && $0.publication?.hasAudio == true }
  }

  private func give(_ packet: AudioFeed.Packet, to publication: Publication) {
    guard var header = publication.feed?.header else { return }
    header.timestamp = UInt32(truncatingIfNeeded: packet.timestamp)
    // A larger step would be a restart of the sender, or one back: a pause of minutes is neither.
    header.sequenceNumber &+= UInt16(clamping: min(Int64(packet.missing), SequenceExtender.forwardLimit - 1))
    header.packet(payload: packet.opus).withUnsafeBytes { bytes in
      _ = publication.peer.received(bytes, at: packet.arrival)
    }
    header.sequenceNumber &+= 1
    publication.feed?.header = header
  }

  func closeFeed(_ label: PeerLabel, of participant: ParticipantID, link: UInt64) {
    guard let member = member(participant, link: link),
      member.publications.contains(where: { $0.feed != nil && $0.peer === member.peers[label] })
    else { return }
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
    let transport = TapTransport()
    let peer = tapPeer(on: transport)
    member.peers[label] = peer
    observe(peer, label, of: member)
    do throws(RoomRefusal) {
      try attach(peer, to: source, for: member)
    } catch {
      closePeer(label, of: member, at: MonotonicClock.now)
      throw error
    }
    return AudioTap(label: label, packets: transport.packets, drops: transport.drops)
  }

  /// A connection whose packets stay within the process.
  func tapPeer(on transport: TapTransport) -> Peer {
    let ssrc = UInt32.random(in: 1 ... .max)
    var configuration = PeerSession.Configuration(localSSRC: ssrc, cname: Peer.cname, mayReceive: false, maySend: true)
    configuration.nack = nil
    configuration.probeInterval = nil
    let session = PeerSession(
      plain: configuration, forwarding: Forwarder.Configuration(ssrc: ssrc, payloadType: RoomActor.tapPayloadType))
    return Peer(
      loop: loop, transport: transport, session: session, ssrc: ssrc,
      source: Forwarder.Source(opusPayloadType: RoomActor.tapPayloadType), role: .sendToPeer)
  }
}
