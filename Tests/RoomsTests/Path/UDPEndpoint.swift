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
    UDPEndpoint.send(bytes, from: descriptor, to: "127.0.0.1", port: port)
  }

  /// - Parameter host: an IPv4 address.
  static func send(_ bytes: [UInt8], from descriptor: Int32, to host: String, port: UInt16) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// A port of loopback that nobody has now.
  static var freePort: UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(descriptor, $0, length)
        getsockname(descriptor, $0, &length)
      }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// The address that an IPv4 socket is bound to; nil for other descriptors.
  static func host(of descriptor: Int32) -> String? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return result == 0 ? String(cString: inet_ntoa(address.sin_addr)) : nil
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
