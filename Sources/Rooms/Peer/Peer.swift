import Machines
import Realtime
import Signaling

/// One end of one media connection: a transport (ICE or a plain socket) under a `PeerSession`.
///
/// It carries one publication (they send, we receive) or one subscription (we send). Lives on its loop.
final class Peer: LoopSource {
  private let loop: MediaLoop
  private let transport: any DatagramTransport
  private var id: MediaLoop.SourceID?
  private var session: PeerSession
  private(set) var negotiated: NegotiatedSession?
  private(set) var state = RoomEvent.PeerState.connecting

  /// Every authenticated audio packet that is no duplicate, at once.
  var onPacket: (ReceivedPacket) -> Void = { _ in }
  /// Every authenticated RTCP compound.
  var onReport: ([UInt8], MonotonicTime) -> Void = { _, _ in }
  var onState: (RoomEvent.PeerState) -> Void = { _ in }
  var onFailure: (PeerFailure) -> Void = { _ in }

  init(loop: MediaLoop, transport: any DatagramTransport, session: consuming PeerSession, negotiated: NegotiatedSession?) {
    self.loop = loop
    self.transport = transport
    self.session = session
    self.negotiated = negotiated
    id = loop.add(self)
  }

  /// Round trip, losses, jitter of this connection.
  var statistics: PeerStatistics { session.statistics }

  // MARK: From the transport

  func received(_ datagram: UnsafeRawBufferPointer, at now: MonotonicTime) {
    session.receive(datagram, at: now)
    drain(at: now)
  }

  func pathChanged(to path: PathState, at now: MonotonicTime) {
    switch path {
    case .connected:
      session.pathConnected(at: now)
      if session.isConnected { become(.connected) }
    case .lost: become(.disconnected)
    case .connecting: break
    }
    drain(at: now)
  }

  // MARK: To the other side

  /// Passes a musician's packet on, rewritten for this connection.
  func forward(_ packet: ReceivedPacket, from source: NegotiatedSession.ExtensionIDs, at now: MonotonicTime) {
    session.forward(packet, extensions: source) { datagram in
      _ = transport.send(datagram)
    }
  }

  /// Sends an RTP packet of our own making (the demo's musicians).
  func send(rtp packet: [UInt8], at now: MonotonicTime) {
    session.send(rtp: packet, at: now)
    drain(at: now)
  }

  /// Ends the connection with RTCP BYE and DTLS close_notify.
  func close(at now: MonotonicTime = MonotonicClock.now) {
    guard let id else { return }
    session.close()
    while let output = session.next() {
      if case .send(let datagram) = output { datagram.withUnsafeBytes { _ = transport.send($0) } }
    }
    self.id = nil
    loop.remove(id)
    onPacket = { _ in }
    onReport = { _, _ in }
    onFailure = { _ in }
    transport.close()
    become(.closed)
    onState = { _ in }
  }

  func descriptorReady(_ descriptor: Int32, at now: MonotonicTime) {}

  func deadlineReached(at now: MonotonicTime) {
    session.advance(to: now)
    drain(at: now)
  }

  /// Carries out everything that the session wants before it is touched again.
  private func drain(at now: MonotonicTime) {
    while id != nil, let output = session.next() {
      switch output {
      case .send(let datagram): datagram.withUnsafeBytes { _ = transport.send($0) }
      case .rtp(let packet): if !packet.isDuplicate { onPacket(packet) }
      case .rtcp(let report, let arrival): onReport(report, arrival)
      case .connected: become(.connected)
      case .failed(let failure):
        onFailure(failure)
        become(.failed)
      case .closed: become(.closed)
      }
    }
    if let id, let deadline = session.deadline { loop.wake(id, by: deadline) }
  }

  private func become(_ next: RoomEvent.PeerState) {
    guard next != state, state != .closed, state != .failed else { return }
    state = next
    onState(next)
  }
}
