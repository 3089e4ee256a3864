import Machines
import Music
import Realtime
import Signaling

extension RoomActor {
  /// The label of a plain RTP input among its member's connections.
  private static let inputLabel = "rtp"

  /// Opens a UDP port for a member that sends plain RTP.
  func openInput(
    _ request: RTPInputRequest, for participant: ParticipantID
  ) throws(RoomRefusal) -> (host: String, port: UInt16, ssrc: UInt32) {
    guard let member = members.first(where: { $0.participant.id == participant }),
      let label = PeerLabel(RoomActor.inputLabel)
    else { throw RoomRefusal(.unknownParticipant, "the musician has just left") }
    let host = services.configuration.ice.addresses.first ?? "0.0.0.0"
    let ssrc = UInt32.random(in: 1 ... .max)
    do {
      let socket = try DatagramSocket(loop: loop, host: host, ports: services.configuration.ice.ports)
      let peer = try Peer(loop: loop, socket: socket, request: request, ssrc: ssrc)
      socket.onDatagram = { [unowned peer, unowned socket] datagram, now in
        if peer.receivedPlain(datagram, at: now) { socket.confirm() }
      }
      if member.peers[label] != nil { closePeer(label, of: member, at: MonotonicClock.now) }
      member.peers[label] = peer
      observe(peer, label, of: member)
      install(Publication(peer: peer, origin: "rtp"), for: member)
      return (host, socket.port, ssrc)
    } catch {
      throw RoomRefusal(.unavailable, "no port for plain RTP: \(error)")
    }
  }
}
