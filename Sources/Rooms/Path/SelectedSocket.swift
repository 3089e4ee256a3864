import CLinux
import CNice
import Glibc

/// The socket and the other end of an agent's selected pair, for datagrams that need no libnice.
struct SelectedSocket {
  let descriptor: Int32
  private var address = sockaddr_storage()
  private let length: socklen_t

  /// - Parameter remote: the address of the other end.
  init(descriptor: Int32, remote: inout NiceAddress) {
    self.descriptor = descriptor
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { nice_address_copy_to_sockaddr(&remote, $0) }
    }
    let isSix = address.ss_family == sa_family_t(AF_INET6)
    length = socklen_t(isSix ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
  }

  /// Sends one datagram to the other end; false if it was not sent.
  func send(_ datagram: UnsafeRawBufferPointer) -> Bool {
    var address = address
    let sent = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(
          descriptor, datagram.baseAddress, datagram.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL), $0, length)
      }
    }
    return sent == datagram.count
  }

  /// True if the next datagram comes from the other end.
  func isNextFromOtherEnd() -> Bool {
    var (sender, address) = (sockaddr_storage(), address)
    return jamjar_peek_sender(descriptor, &sender) == 0 && jamjar_is_same_address(&sender, &address) != 0
  }
}
