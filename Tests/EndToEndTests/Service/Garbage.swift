import CLinux
import Glibc
import TestSupport

/// Hostile noise from the network.
enum Garbage {
  /// Sends random datagrams of random lengths to a UDP port of this machine; some begin like RTP, STUN or DTLS.
  static func throwDatagrams(at port: UInt16, count: Int, seed: UInt64) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw EndToEndFailure("no UDP socket") }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var generator = SeededRandom(seed)
    let beginnings: [UInt8] = [0x80, 0x90, 0xBF, 0x00, 0x01, 0x16, 0x14, 0xFF]
    for _ in 0..<count {
      var bytes = (0..<Int.random(in: 0...1_400, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      if !bytes.isEmpty { bytes[0] = beginnings.randomElement(using: &generator) ?? 0 }
      let length = socklen_t(MemoryLayout<sockaddr_in>.size)
      _ = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          sendto(descriptor, bytes, bytes.count, 0, $0, length)
        }
      }
    }
  }
}
