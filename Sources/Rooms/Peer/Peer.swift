import Machines
import Realtime
import Recording
import Signaling

/// One end of a media connection: a transport (ICE or a plain socket) below a `PeerSession`.
///
/// It carries one publication (they send, we receive) or one subscription (we send). Belongs to its loop.
final class Peer: LoopSource {
  static let cname = "jamjar"

  let role: Negotiation.Role
  /// The SSRC of our packets and reports.
  let ssrc: UInt32
  /// The ICE agent; nil for a plain socket.
  let agent: PathAgent?
  /// Offer and answer; nil for a plain socket.
  var description: PeerDescription?
  private let loop: MediaLoop
  private let transport: any DatagramTransport
  private let certificate: DTLSCertificate?
  private var id: MediaLoop.SourceID?
  /// Nil until negotiated.
  private var session: PeerSession?
  private var source: Forwarder.Source?
  private(set) var negotiated: NegotiatedSession?
  private(set) var state = RoomEvent.PeerState.connecting
  /// True to send reference times between reports.
  private let probesOften: Bool
  private var isChecked = false
  var traffic = PeerTraffic()
  /// The latest time that the peer was told.
  private var clock = MonotonicClock.now

  /// Called at once for every authentic audio packet that is not a duplicate.
  var onPacket: (ReceivedPacket) -> Void = { _ in }
  /// Called for every authentic RTCP compound.
  var onReport: ([UInt8], MonotonicTime) -> Void = { _, _ in }
  /// Called with the round trip of each check of the path, and when its answer arrived.
  var onRoundTrip: (MonotonicTime.Span, MonotonicTime) -> Void = { _, _ in }
  var onState: (RoomEvent.PeerState) -> Void = { _ in }
  var onFailure: (String) -> Void = { _ in }

  /// Creates a WebRTC peer; `negotiate` creates its session.
  /// - Parameter probesOften: where a take depends on the round trip that we measure, or on our reports.
  init(
    loop: MediaLoop, agent: PathAgent, certificate: DTLSCertificate, ssrc: UInt32, role: Negotiation.Role,
    probesOften: Bool
  ) {
    self.loop = loop
    self.agent = agent
    transport = agent
    self.certificate = certificate
    self.ssrc = ssrc
    self.role = role
    self.probesOften = probesOften
    id = loop.add(self)
  }

  /// Creates a peer that sends plain RTP or SRTP over `transport`, without negotiation.
  init(
    loop: MediaLoop, transport: any DatagramTransport, session: consuming PeerSession, ssrc: UInt32,
    source: Forwarder.Source, role: Negotiation.Role = .receiveFromPeer
  ) {
    self.loop = loop
    agent = nil
    self.transport = transport
    certificate = nil
    probesOften = true
    self.ssrc = ssrc
    self.role = role
    self.session = consume session
    self.source = source
    id = loop.add(self)
    self.session?.pathConnected(at: MonotonicClock.now)
    state = .connected
    drain()
  }

  /// True for a connection over the network, rather than within this process.
  var isOnNetwork: Bool { agent != nil || transport is DatagramSocket }
  /// The format of the incoming packets, once negotiated.
  var incoming: Forwarder.Source? { source }
  /// Round trip, losses and jitter of this connection.
  var statistics: PeerStatistics? { session?.statistics }
  /// True if missing packets may still arrive.
  var hasOpenHoles: Bool { session?.hasOpenHoles ?? false }

  // MARK: Negotiation

  /// Creates the negotiated session.
  func negotiate(_ negotiated: NegotiatedSession, at now: MonotonicTime) {
    guard session == nil, let certificate else { return }
    self.negotiated = negotiated
    source = Forwarder.Source(session: negotiated)
    var configuration = PeerSession.Configuration(localSSRC: ssrc, cname: Peer.cname, negotiated: negotiated)
    if !probesOften { configuration.probeInterval = nil }
    do throws(DTLSError) {
      session = try PeerSession(negotiated: negotiated, certificate: certificate, configuration: configuration)
      drain()
    } catch {
      onFailure("\(error)")
      become(.failed)
    }
  }

  // MARK: From the transport

  /// Takes a datagram at `now` that arrived at `arrival`; true if it was authentic.
  @discardableResult
  func received(_ datagram: UnsafeRawBufferPointer, at now: MonotonicTime, arrival: MonotonicTime? = nil) -> Bool {
    let isAuthentic = session?.receive(datagram, at: now, arrival: arrival) ?? false
    clock = now
    // What strangers send is not theirs.
    if isAuthentic { traffic.received.add(datagram.count, at: now) }
    drain()
    return isAuthentic
  }

  func pathChanged(to path: PathState, at now: MonotonicTime) {
    switch path {
    case .connected:
      session?.pathConnected(at: now)
      if session?.isConnected ?? false { become(.connected) }
    case .lost: become(.disconnected)
    case .connecting: break
    }
    drain()
  }

  // MARK: To the other side

  /// Forwards a musician's packet, rewritten for this connection.
  func forward(_ packet: ReceivedPacket, from source: Forwarder.Source, at now: MonotonicTime) {
    clock = now
    session?.forward(packet, from: source, at: now) { datagram in send(datagram) }
  }

  private func send(_ datagram: UnsafeRawBufferPointer) {
    traffic.note(datagram.count, isSent: transport.send(datagram), at: clock)
  }

  /// Sends an RTP packet created by us.
  func send(rtp packet: [UInt8], at now: MonotonicTime) {
    clock = now
    session?.withProtected(rtp: packet, at: now) { datagram in send(datagram) }
    drain()
  }

  /// Requests packets missing at the end, because the sender has sent its last ones.
  func finish(at now: MonotonicTime) {
    session?.finish(at: now)
    drain()
  }

  /// Stops accepting new packets: only those missing now are still requested.
  func seal() { session?.seal() }

  /// Ends the connection with RTCP BYE and DTLS close_notify.
  func close() {
    guard let id else { return }
    session?.close()
    while let output = session?.next() {
      if case .send(let datagram) = output { datagram.withUnsafeBytes { send($0) } }
    }
    self.id = nil
    loop.remove(id)
    onPacket = { _ in }
    onReport = { _, _ in }
    onRoundTrip = { _, _ in }
    onFailure = { _ in }
    transport.close()
    become(.closed)
    onState = { _ in }
  }

  func descriptorReady(_ descriptor: Int32, at now: MonotonicTime) -> MonotonicTime? { nil }

  func deadlineReached(at now: MonotonicTime) {
    clock = now
    session?.advance(to: now)
    agent?.check(at: now)
    drain()
  }

  /// Measures the round trip of the path from now on, by checks of our own.
  func checkPath() {
    isChecked = true
    agent?.onRoundTrip = { [unowned self] trip, arrival in
      session?.observe(roundTrip: trip)
      onRoundTrip(trip, arrival)
    }
    if state == .connected { agent?.checks.start(at: MonotonicClock.now) }
    drain()
  }

  /// Processes all outputs of the session before it is used again.
  private func drain() {
    while id != nil, let output = session?.next() {
      switch output {
      case .send(let datagram): datagram.withUnsafeBytes { send($0) }
      case .rtp(let packet): if !packet.isDuplicate { onPacket(packet) }
      case .rtcp(let report, let arrival): onReport(report, arrival)
      case .connected: become(.connected)
      case .failed(let failure):
        onFailure("\(failure)")
        become(.failed)
      case .closed: become(.closed)
      }
    }
    guard let id else { return }
    var deadline = session?.deadline
    if let due = agent?.checks.deadline { deadline = min(deadline ?? due, due) }
    if let deadline { loop.wake(id, by: deadline) }
  }

  private func become(_ next: RoomEvent.PeerState) {
    guard next != state, state != .closed, state != .failed else { return }
    state = next
    agent?.context.isMedia = next == .connected
    if next != .connected { agent?.checks.stop() } else if isChecked { agent?.checks.start(at: MonotonicClock.now) }
    onState(next)
  }
}
