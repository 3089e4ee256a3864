import CLinux
import Glibc

/// A client that sends and never reads.
final class DeafClient: Sendable {
  /// Little room, so that what it should have read stays with the sender.
  private static let room: Int32 = 2_048

  private let descriptor: Int32

  init(port: UInt16, _ text: String = "") throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var room = DeafClient.room
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected, try send(text) else { throw EndToEndFailure("nobody listens on port \(port)") }
  }

  deinit { close(descriptor) }

  /// False where not all of it can be sent at this moment.
  func send(_ text: String) throws -> Bool {
    let bytes = Array(text.utf8)
    return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) == bytes.count
  }
}
