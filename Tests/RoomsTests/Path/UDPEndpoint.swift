import CLinux
import Glibc

/// A UDP socket on loopback, as anybody on the network may have one.
final class UDPEndpoint: Sendable {
  private let descriptor: Int32

  init() {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  }

  deinit { close(descriptor) }

  func send(_ bytes: [UInt8], to port: UInt16) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// The total length of the datagrams that wait here, which are taken.
  func takeWaiting() -> Int {
    var buffer = [UInt8](repeating: 0, count: 2_048)
    var total = 0
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      guard count >= 0 else { return total }
      total += count
    }
  }
}
