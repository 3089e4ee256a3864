import CLinux
import Glibc

/// A UDP socket that sends to one port of this machine.
final class LoopbackSocket {
  let descriptor: Int32
  private let host: UInt32
  private let port: UInt16

  private static let host = UInt32(0x7F00_0001)
  /// An address of this machine's loopback net that is not the musician's.
  private static let strangersHost = UInt32(0x7F00_0002)

  /// - Parameters:
  ///   - host: the port's address, 127.0.0.1 unless another one is given.
  ///   - source: the own address; nil leaves it to the kernel.
  init(to port: UInt16, of host: UInt32 = LoopbackSocket.host, from source: UInt32? = nil) throws {
    (self.host, self.port) = (host, port)
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw LaboratoryProblem("no socket: errno \(errno)") }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    guard LoopbackSocket.call(source ?? 0, 0, { bind(descriptor, $0, $1) }) == 0,
      LoopbackSocket.call(host, port, { connect(descriptor, $0, $1) }) == 0
    else { throw LaboratoryProblem("no socket to port \(port): errno \(errno)") }
  }

  /// Another socket to the same port: from another address where there is one, from another port otherwise.
  func stranger() throws -> LoopbackSocket {
    let isLocal = host >> 24 == LoopbackSocket.host >> 24
    return try LoopbackSocket(to: port, of: host, from: isLocal ? LoopbackSocket.strangersHost : nil)
  }

  private static func call(
    _ host: UInt32, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = host.bigEndian
    address.sin_port = port.bigEndian
    return withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  /// True where the kernel took it.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// The next datagram, nil where there is none.
  func receive() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 2_048)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? Array(buffer.prefix(count)) : nil
  }

  deinit {
    close(descriptor)
  }
}
