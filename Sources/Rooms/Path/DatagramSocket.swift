import CLinux
import Glibc
import Machines
import Realtime
import Recording

/// A UDP socket for plain RTP, with RTP and RTCP on one port (RFC 5761).
///
/// It replies to the sender of the last datagram confirmed by its owner (`confirm`). Since addresses can be forged,
/// it sends at most three times as many bytes there as came from there.
final class DatagramSocket: LoopSource, DatagramTransport {
  let port: UInt16
  var isMedia: Bool { true }
  private let loop: MediaLoop
  private let descriptor: Int32
  private var id: MediaLoop.SourceID?
  private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: PathAgent.maximumDatagram, alignment: 16)
  /// Bytes that may be sent per byte received: enough for requests and reports at any loss, but useless for
  /// amplifying a flood.
  private static let amplification = 3
  private var remote: Remote?
  private var candidate: Remote?
  /// Remaining number of bytes that may be sent to `remote`.
  private var budget = 0
  /// Receives a datagram, its sender, the current time and the arrival time.
  var onDatagram: (UnsafeRawBufferPointer, SourceLatch.Sender, MonotonicTime, MonotonicTime) -> Void = { _, _, _, _ in }
  private var arrivals = ArrivalClock()

  /// The origin of a datagram.
  private struct Remote {
    var address: sockaddr_storage
    var length: socklen_t
    var sender: SourceLatch.Sender
    /// Length of the datagram in bytes.
    var count: Int
  }

  /// Binds to `host` on a port in `ports`, or on one chosen by the kernel.
  /// - Throws: `PathError` if `host` is not an address of this machine or no port is free.
  init(loop: MediaLoop, host: String, ports: ClosedRange<UInt16>?) throws(PathError) {
    self.loop = loop
    let isSix = host.contains(":")
    descriptor = socket(isSix ? AF_INET6 : AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    guard descriptor >= 0 else { throw PathError("no socket: \(String(cString: strerror(errno)))") }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    ReceiveBuffer.enlarge(of: descriptor)
    jamjar_stamp_datagrams(descriptor)
    guard let bound = DatagramSocket.bind(descriptor, host: host, isSix: isSix, ports: ports) else {
      let reason = String(cString: strerror(errno))
      Glibc.close(descriptor)
      throw PathError("no UDP port could be bound on \(host): \(reason)")
    }
    port = bound
    let id = loop.add(self)
    self.id = id
    loop.watch(descriptor, for: id)
  }

  private static func bind(_ descriptor: Int32, host: String, isSix: Bool, ports: ClosedRange<UInt16>?) -> UInt16? {
    for port in ports.map(Array.init) ?? [0] {
      var storage = sockaddr_storage()
      let length = address(host, port: port, isSix: isSix, into: &storage)
      guard length > 0 else {
        errno = EADDRNOTAVAIL
        return nil
      }
      let result = withUnsafePointer(to: &storage) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, length) }
      }
      if result == 0 { return localPort(of: descriptor, isSix: isSix) }
    }
    return nil
  }

  private static func address(_ host: String, port: UInt16, isSix: Bool, into storage: inout sockaddr_storage)
    -> socklen_t
  {
    withUnsafeMutableBytes(of: &storage) { bytes -> socklen_t in
      if isSix {
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = port.bigEndian
        guard inet_pton(AF_INET6, host, &six.sin6_addr) == 1 else { return 0 }
        bytes.storeBytes(of: six, as: sockaddr_in6.self)
        return socklen_t(MemoryLayout<sockaddr_in6>.size)
      }
      var four = sockaddr_in()
      four.sin_family = sa_family_t(AF_INET)
      four.sin_port = port.bigEndian
      guard inet_pton(AF_INET, host, &four.sin_addr) == 1 else { return 0 }
      bytes.storeBytes(of: four, as: sockaddr_in.self)
      return socklen_t(MemoryLayout<sockaddr_in>.size)
    }
  }

  private static func localPort(of descriptor: Int32, isSix: Bool) -> UInt16? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0 else { return nil }
    return sender(in: storage).port
  }

  func descriptorReady(_ descriptor: Int32, at _: MonotonicTime) -> MonotonicTime? {
    guard let base = scratch.baseAddress else { return nil }
    var last: MonotonicTime?
    // A limited burst: the rest makes the descriptor ready again at once, after the others had their turn.
    for _ in 0..<8 {
      var storage = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      var stamp: Int64 = 0
      let count = withUnsafeMutablePointer(to: &storage) {
        jamjar_receive(descriptor, base, PathAgent.maximumDatagram, $0, &length, &stamp)
      }
      guard count >= 0, id != nil else { return nil }
      guard count > 0 else {
        // An empty datagram has a stamp like others, and more may be waiting behind it.
        last = arrivals.arrival(stamp: stamp, reading: MonotonicClock.reading)
        continue
      }
      // Datagrams that arrive during this burst are later than the loop's reading of the clock.
      let reading = MonotonicClock.reading
      let arrival = arrivals.arrival(stamp: stamp, reading: reading)
      let sender = DatagramSocket.sender(in: storage)
      candidate = Remote(address: storage, length: length, sender: sender, count: count)
      last = arrival
      onDatagram(UnsafeRawBufferPointer(start: base, count: count), sender, reading.monotonic, arrival)
    }
    return last
  }

  private static func sender(in storage: sockaddr_storage) -> SourceLatch.Sender {
    let isSix = Int32(storage.ss_family) == AF_INET6
    return withUnsafeBytes(of: storage) { bytes in
      // sin_port and sin6_port are at the same offset.
      let port = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
      let host =
        isSix
        ? UInt128(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt128.self))
        : UInt128(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
      return SourceLatch.Sender(host: host, port: port)
    }
  }

  func deadlineReached(at now: MonotonicTime) {}

  /// Confirms the datagram just delivered: reports and NACKs go to its sender.
  func confirm() {
    guard let candidate else { return }
    if remote?.sender != candidate.sender { budget = 0 }
    budget += candidate.count * DatagramSocket.amplification
    remote = candidate
  }

  @discardableResult
  func send(_ datagram: UnsafeRawBufferPointer) -> Bool {
    guard id != nil, var remote, datagram.count <= budget else { return false }
    budget -= datagram.count
    let sent = withUnsafePointer(to: &remote.address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(
          descriptor, datagram.baseAddress, datagram.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL), $0, remote.length
        )
      }
    }
    return sent == datagram.count
  }

  func close() {
    guard let id else { return }
    self.id = nil
    onDatagram = { _, _, _, _ in }
    loop.remove(id)
    Glibc.close(descriptor)
  }

  deinit {
    scratch.deallocate()
  }
}

/// A transport for datagrams to one peer.
protocol DatagramTransport: AnyObject {
  /// Sends one datagram; false if it was not sent.
  @discardableResult
  func send(_ datagram: UnsafeRawBufferPointer) -> Bool
  /// Closes the transport; nothing is delivered afterwards.
  func close()
}

extension PathAgent: DatagramTransport {}

/// The kernel's receive buffer of a socket: a recorder that stalls for seconds finds everything that arrived
/// meanwhile.
enum ReceiveBuffer {
  /// In bytes, as counted by the kernel: more than ten seconds of 10 ms packets, which take some 800 bytes each. The
  /// kernel doubles the requested size.
  private static let size: Int32 = 1 << 20

  /// Requests this size, beyond `net.core.rmem_max` if the process is permitted to (CAP_NET_ADMIN).
  static func enlarge(of descriptor: Int32) {
    var size = size
    let length = socklen_t(MemoryLayout<Int32>.size)
    guard setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &size, length) != 0 else { return }
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, length)
  }
}
