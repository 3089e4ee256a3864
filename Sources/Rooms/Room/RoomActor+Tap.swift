import Machines
import Music
import Realtime
import Signaling

/// Members who hear by other means than RTP: a subscription whose packets stay within the process.
extension RoomActor {
  private static let tapPayloadType: UInt8 = 111

  func openTap(
    to source: AudioSource, by participant: ParticipantID, link: UInt64
  ) throws(RoomRefusal) -> AudioTap {
    guard let member = member(participant, link: link) else {
      throw RoomRefusal(.notJoined, "this link holds no seat any more; join again")
    }
    try check(source, for: member)
    guard member.peers.count < RoomActor.maximumPeers, let label = PeerLabel("tap-\(UInt64.random(in: .min ... .max))")
    else {
      throw RoomRefusal(.tooMany, "\(member.peers.count) connections stand already; close one")
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
