import Glibc
import NIOPosix

/// Looks up the addresses of a host, once for each attempt: what is checked is what is connected to.
struct WebhookResolver: Sendable {
  /// The addresses of a host as numbers, in the order in which they should be tried.
  let addresses: @Sendable (_ host: String) async throws -> [String]

  /// Asks the system.
  static let system = WebhookResolver { host in
    try await NIOThreadPool.singleton.runIfActive { lookup(host) }
  }

  private static func lookup(_ host: String) -> [String] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var addresses: [String] = []
    var next = list
    while let entry = next {
      next = entry.pointee.ai_next
      let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer -> String? in
        guard let base = buffer.baseAddress,
          getnameinfo(
            entry.pointee.ai_addr, entry.pointee.ai_addrlen, base, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST)
            == 0
        else { return nil }
        return String(cString: base)
      }
      if let text, !addresses.contains(text) { addresses.append(text) }
    }
    return addresses
  }
}
