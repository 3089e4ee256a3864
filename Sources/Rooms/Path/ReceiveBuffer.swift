import Glibc

/// What the kernel keeps for a socket while nobody reads it: a recorder that stands still for seconds finds everything
/// that it was sent meanwhile.
enum ReceiveBuffer {
  /// In bytes, as the kernel counts them: ten seconds and more of packets of 10 ms, which take some 800 bytes each. The
  /// kernel doubles what it is asked for.
  private static let size: Int32 = 1 << 20

  /// Asks for so much, beyond `net.core.rmem_max` where the process may do that (CAP_NET_ADMIN).
  static func enlarge(of descriptor: Int32) {
    var size = size
    let length = socklen_t(MemoryLayout<Int32>.size)
    guard setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &size, length) != 0 else { return }
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, length)
  }
}
