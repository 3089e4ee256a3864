import Machines
import Realtime
import Recording
import Signaling

/// The client's end of one peer connection: it offers, and sends or hears one musician.
///
/// Our own synthetic musicians and bots use it; it is the same ICE, DTLS, SRTP and RTP as the server's end.
package actor ClientPeer {
  /// Why a client's connection did not come up.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) {
      self.description = description
    }
  }

  private let loop: MediaLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let role: Negotiation.Role
  private let configuration: ICEConfiguration
  private let certificate: DTLSCertificate
  private let onPacket: @Sendable (ReceivedPacket, NegotiatedSession.ExtensionIDs?) -> Void
  /// SSRC under which this peer sends.
  package let ssrc = UInt32.random(in: 1 ... .max)
  private var agent: PathAgent?
  private var peer: Peer?
  private var waiting: [CheckedContinuation<RoomEvent.PeerState, Never>] = []

  /// - Parameters:
  ///   - sends: true to send audio, false to hear.
  ///   - configuration: where to gather candidates.
  ///   - onPacket: called on the loop with every packet that comes in, and the ids of its header extensions.
  package init(
    loop: MediaLoop, sends: Bool, configuration: ICEConfiguration, certificate: DTLSCertificate,
    onPacket: @escaping @Sendable (ReceivedPacket, NegotiatedSession.ExtensionIDs?) -> Void = { _, _ in }
  ) {
    self.loop = loop
    role = sends ? .sendToPeer : .receiveFromPeer
    self.configuration = configuration
    self.certificate = certificate
    self.onPacket = onPacket
  }

  /// Gathers candidates and makes the offer.
  /// - Throws: `PathError` when no port can be opened, `Failure` when ICE gives no credentials.
  package func offer() throws -> String {
    let agent = try PathAgent(loop: loop, configuration: configuration, isControlling: true)
    try agent.gather()
    guard let credentials = agent.localCredentials else {
      agent.close()
      throw Failure(description: "ICE gave no credentials")
    }
    let peer = Peer(loop: loop, agent: agent, certificate: certificate, ssrc: ssrc, role: role)
    var description = PeerDescription(
      role: role, audio: AudioPreferences(), fingerprint: certificate.fingerprint, ssrc: ssrc, cname: Peer.cname)
    let text = description.offer(
      transport: LocalTransport(
        credentials: credentials, fingerprint: certificate.fingerprint, candidates: agent.localCandidates,
        candidatesAreComplete: true))
    peer.description = description
    let onPacket = onPacket
    peer.onPacket = { [unowned peer] packet in onPacket(packet, peer.incoming?.extensions) }
    peer.onState = { [weak self] state in self?.assumeIsolated { $0.changed(to: state) } }
    agent.onDatagram = { [unowned peer] datagram, now, arrival in peer.received(datagram, at: now, arrival: arrival) }
    agent.onState = { [unowned peer] state in peer.pathChanged(to: state, at: MonotonicClock.now) }
    (self.agent, self.peer) = (agent, peer)
    return text
  }

  /// Takes the server's answer; the connection comes up by itself then.
  /// - Throws: `SDPError`, `NegotiationError` with a sentence that says what the answer lacks.
  package func accept(answer text: String) throws {
    guard let agent, let peer, let negotiated = try peer.description?.accept(SessionDescription(parsing: text)) else {
      throw Failure(description: "there is no offer that this answers")
    }
    peer.negotiate(negotiated, at: MonotonicClock.now)
    agent.setRemote(negotiated.remoteCredentials)
    for candidate in negotiated.remoteCandidates { agent.addRemote(candidate: candidate) }
    agent.endOfRemoteCandidates()
  }

  /// Returns once media flows both ways.
  /// - Throws: `Failure` when the connection fails or is closed instead.
  package func waitUntilConnected() async throws {
    guard let peer else { throw Failure(description: "there is no offer yet") }
    var state = peer.state
    while state == .connecting || state == .disconnected {
      state = await withCheckedContinuation { waiting.append($0) }
    }
    guard state == .connected else { throw Failure(description: "the connection is \(state.rawValue)") }
  }

  private func changed(to state: RoomEvent.PeerState) {
    for continuation in waiting { continuation.resume(returning: state) }
    waiting = []
  }

  /// Payload type and header extensions that were agreed, once they are.
  package var negotiated: NegotiatedSession? { peer?.negotiated }
  package var statistics: PeerStatistics? { peer?.statistics }

  /// Sends one RTP packet.
  package func send(_ packet: [UInt8]) {
    peer?.send(rtp: packet, at: MonotonicClock.now)
  }

  /// Plays a performance from `start` on and returns when it is over or the connection is gone.
  /// - Parameter stampsEveryPacket: put the instant of sending into every packet, to measure delays by.
  package func play(_ performance: Performance, from start: MonotonicTime, stampsEveryPacket: Bool = false) async {
    guard let peer, let negotiated = peer.negotiated else { return }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      var finished: CheckedContinuation<Void, Never>? = continuation
      var player = PerformancePlayer(
        performance, negotiated: negotiated, ssrc: ssrc, start: start, stampsEveryPacket: stampsEveryPacket)
      var ticker: Ticker?
      ticker = Ticker(loop: loop, interval: PerformancePlayer.tick) { now in
        while let packet = player.due(at: now) { peer.send(rtp: packet, at: now) }
        guard player.isOver || peer.state == .closed || peer.state == .failed else { return }
        ticker?.stop()
        ticker = nil
        finished?.resume()
        finished = nil
      }
    }
  }

  /// Stops without a word to anybody, as a process that was killed does.
  package func vanish() {
    agent?.close()
    agent = nil
    peer = nil
    changed(to: .closed)
  }

  /// Ends the connection as a browser does, by BYE and close_notify.
  package func close() {
    peer?.close()
    peer = nil
    agent = nil
    changed(to: .closed)
  }
}
