import Machines
import Music
import Realtime
import Recording
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
    let host = services.configuration.ice.plainAddress
    let ssrc = UInt32.random(in: 1 ... .max)
    do {
      let socket = try DatagramSocket(loop: loop, host: host, ports: services.configuration.ice.ports)
      let peer = Peer(
        loop: loop, transport: socket, session: try session(for: request, ssrc: ssrc), ssrc: ssrc,
        source: Forwarder.Source(
          opusPayloadType: request.payloadType, redPayloadType: request.redundancyPayloadType,
          extensions: .init(absoluteCaptureTime: request.captureTimeExtension)))
      // Authenticated packets need no latch: their sender may change addresses.
      var latch = request.key == nil ? SourceLatch(onlySource: request.ssrc) : nil
      socket.onDatagram = { [unowned peer, unowned socket] datagram, sender, now, arrival in
        if latch != nil {
          guard let held = latch?.admit(datagram, from: sender, at: arrival) else { return }
          for earlier in held {
            earlier.bytes.withUnsafeBytes { _ = peer.received($0, at: now, arrival: earlier.arrival) }
          }
        }
        // Reports and NACKs go to the sender of valid packets; a stranger's datagram has no effect.
        if peer.received(datagram, at: now, arrival: arrival) { socket.confirm() }
      }
      if member.peers[label] != nil { closePeer(label, of: member, at: MonotonicClock.now) }
      member.peers[label] = peer
      observe(peer, label, of: member)
      install(Publication(peer: peer, origin: "rtp", isStereo: request.channels == 2), for: member)
      return (host, socket.port, ssrc)
    } catch {
      throw RoomRefusal(.unavailable, "no port for plain RTP: \(error)")
    }
  }

  /// Creates a session without a handshake: with keys from the request, or without encryption.
  private func session(for request: RTPInputRequest, ssrc: UInt32) throws -> PeerSession {
    var configuration = PeerSession.Configuration(localSSRC: ssrc, cname: Peer.cname)
    configuration.onlySource = request.ssrc
    guard let key = request.key else { return PeerSession(plain: configuration) }
    let profile: SRTPProfile = key.count == 28 ? .aeadAES128GCM : .aes128CMSHA180
    guard let receiving = KeyMaterial(profile: profile, keyAndSalt: key),
      let sending = KeyMaterial(profile: profile, keyAndSalt: key),
      let keys = KeyPair(sending: sending, receiving: receiving)
    else { throw RoomRefusal(.malformed, "the key does not match its profile") }
    return try PeerSession(keys: keys, configuration: configuration)
  }
}
