import CLinux
import Glibc
import Machines
import Realtime
import Recording
import Signaling
import TestSupport

@testable import Rooms

/// A musician who sends plain RTP by a real socket over a path that loses datagrams both ways, and answers requests for
/// what was lost.
actor LossyMusician {
  private let loop: MediaLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private var peer: Peer?
  private var path: Path?

  /// The socket, and what happens to datagrams.
  private final class Path: LoopSource, DatagramTransport {
    private let loop: MediaLoop
    private let descriptor: Int32
    private var id: MediaLoop.SourceID?
    private var random: SeededRandom
    private let loss: Double
    /// Everything is lost.
    var isCut = false
    /// Nothing is lost: an input knows its sender by three packets in a row, and a take its beginning by the first.
    var isPerfect = false
    var onDatagram: (UnsafeRawBufferPointer) -> Void = { _ in }

    init(loop: MediaLoop, port: UInt16, loss: Double, seed: UInt64) {
      self.loop = loop
      self.loss = loss
      random = SeededRandom(seed)
      descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      let id = loop.add(self)
      self.id = id
      loop.watch(descriptor, for: id)
    }

    private var isLost: Bool { isCut || (!isPerfect && random.unit() < loss) }

    func send(_ datagram: UnsafeRawBufferPointer) -> Bool {
      guard !isLost else { return true }
      return Glibc.send(descriptor, datagram.baseAddress, datagram.count, Int32(MSG_DONTWAIT)) > 0
    }

    func descriptorReady(_ descriptor: Int32, at now: MonotonicTime) -> MonotonicTime? {
      var buffer = [UInt8](repeating: 0, count: 2_048)
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      guard count > 0, !isLost else { return nil }
      buffer.withUnsafeBytes { onDatagram(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      return nil
    }

    func deadlineReached(at now: MonotonicTime) {}

    func close() {
      guard let id else { return }
      self.id = nil
      loop.remove(id)
      Glibc.close(descriptor)
    }
  }

  init(loop: MediaLoop) { self.loop = loop }

  /// Opens the path to an input's `port`.
  /// - Parameter loss: share of datagrams that are lost, in each direction.
  func open(port: UInt16, loss: Double, seed: UInt64) {
    let path = Path(loop: loop, port: port, loss: loss, seed: seed)
    let ssrc = UInt32(truncatingIfNeeded: seed) | 1 << 31
    let peer = Peer(
      loop: loop, transport: path,
      session: PeerSession(plain: PeerSession.Configuration(localSSRC: ssrc, cname: "test", maySend: true)),
      ssrc: ssrc, source: Forwarder.Source(opusPayloadType: 111), role: .sendToPeer)
    path.onDatagram = { [weak peer] in _ = peer?.received($0, at: MonotonicClock.now) }
    (self.path, self.peer) = (path, peer)
  }

  /// Plays all of it in real time. The path loses nothing of the first three packets.
  /// - Parameter cutsAt: number of the packet from which on everything is lost, until `restore`.
  func play(_ performance: Performance, cutsAt cut: Int = .max) async {
    await Metronome(loop: loop).count(performance.packets.count) { number, time in
      self.assumeIsolated { $0.send(number, performance.packets[number], at: time, isCut: number >= cut) }
    }
  }

  /// - Parameter time: when the packet's last sample was played, which reports state however late it is sent.
  private func send(_ number: Int, _ opus: [UInt8], at time: MonotonicTime, isCut: Bool) {
    path?.isPerfect = number < 3
    path?.isCut = isCut
    guard let peer else { return }
    let writer = RTPWriter(
      payloadType: 111, sequenceNumber: UInt16(truncatingIfNeeded: number),
      timestamp: UInt32(truncatingIfNeeded: 960 * number), ssrc: peer.ssrc)
    peer.send(rtp: writer.packet(payload: opus), at: time)
  }

  /// The path carries again.
  func restore() { path?.isCut = false }

  /// Lets the path carry nothing.
  func cut() { path?.isCut = true }

  /// Ends without a word.
  func vanish() {
    path?.isCut = true
    peer?.close()
  }
}
