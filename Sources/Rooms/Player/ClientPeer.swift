import Machines
import Realtime
import Recording
import Signaling

/// The client's end of one peer connection: it makes the offer, and sends to or receives from one musician.
///
/// Our own synthetic musicians and bots use it; it uses the same ICE, DTLS, SRTP and RTP as the server.
package actor ClientPeer {
  /// The reason why a client's connection failed.
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
  /// The SSRC of this peer's packets.
  package let ssrc = UInt32.random(in: 1 ... .max)
  private var agent: PathAgent?
  private var peer: Peer?
  private var waiting: [CheckedContinuation<RoomEvent.PeerState, Never>] = []

  /// - Parameters:
  ///   - sends: true to send audio, false to receive.
  ///   - hears: true to receive as well as to send.
  ///   - configuration: addresses for gathering candidates.
  ///   - onPacket: called on the loop with every received packet and the ids of its header extensions.
  package init(
    loop: MediaLoop, sends: Bool, hears: Bool = false, configuration: ICEConfiguration, certificate: DTLSCertificate,
    onPacket: @escaping @Sendable (ReceivedPacket, NegotiatedSession.ExtensionIDs?) -> Void = { _, _ in }
  ) {
    self.loop = loop
    role = !sends ? .receiveFromPeer : hears ? .exchangeWithPeer : .sendToPeer
    self.configuration = configuration
    self.certificate = certificate
    self.onPacket = onPacket
  }

  /// Gathers candidates and creates the offer.
  /// - Throws: `PathError` if no port can be opened, `Failure` if ICE provides no credentials.
  package func offer() throws -> String {
    let agent = try PathAgent(loop: loop, configuration: configuration, isControlling: true)
    try agent.gather()
    guard let credentials = agent.localCredentials else {
      agent.close()
      throw Failure(description: "ICE provided no credentials")
    }
    // The recorder learns a musician's clock by these; nothing depends on what a listener measures.
    let peer = Peer(
      loop: loop, agent: agent, certificate: certificate, ssrc: ssrc, role: role,
      probesOften: role != .receiveFromPeer)
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

  /// Accepts the server's answer; the connection is then established automatically.
  /// - Throws: `SDPError`, `NegotiationError` with a sentence that names the fault of the answer.
  package func accept(answer text: String) throws {
    guard let agent, let peer, let negotiated = try peer.description?.accept(SessionDescription(parsing: text)) else {
      throw Failure(description: "there is no offer to answer")
    }
    peer.negotiate(negotiated, at: MonotonicClock.now)
    agent.setRemote(negotiated.remoteCredentials)
    for candidate in negotiated.remoteCandidates { agent.addRemote(candidate: candidate) }
    agent.endOfRemoteCandidates()
  }

  /// Waits until media flows both ways.
  /// - Throws: `Failure` if the connection fails or is closed instead.
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

  /// The negotiated payload type and header extensions; nil before.
  package var negotiated: NegotiatedSession? { peer?.negotiated }
  package var statistics: PeerStatistics? { peer?.statistics }

  /// Sends one RTP packet.
  package func send(_ packet: [UInt8]) {
    peer?.send(rtp: packet, at: MonotonicClock.now)
  }

  /// Plays a performance from `start`; returns when it is over or the connection is gone.
  /// - Parameter stampsEveryPacket: adds the sending time to every packet, for measuring delays.
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

  /// Stops without notifying anyone, like a killed process.
  package func vanish() {
    agent?.close()
    agent = nil
    peer = nil
    changed(to: .closed)
  }

  /// Ends the connection like a browser, with BYE and close_notify.
  package func close() {
    peer?.close()
    peer = nil
    agent = nil
    changed(to: .closed)
  }
}
