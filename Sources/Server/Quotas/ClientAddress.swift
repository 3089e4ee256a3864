import Glibc
import NIOCore

/// The address of a client, as far as limits tell clients apart: IPv4 addresses as a whole, IPv6 addresses by the /64
/// that one subscriber has.
struct ClientAddress: Hashable, Sendable {
  /// The name of the party, in the text form of addresses.
  let party: String
  let isLoopback: Bool

  init?(_ channel: any Channel) {
    guard let address = channel.remoteAddress else { return nil }
    self.init(address)
  }

  /// Nil for sockets without an IP address.
  init?(_ address: SocketAddress) {
    guard let text = address.ipAddress else { return nil }
    isLoopback = HostName(text).isLoopback
    guard case .v6(let address) = address else {
      party = text
      return
    }
    let bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
    let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...].prefix(2).allSatisfy { $0 == 0xFF }
    if isMapped {
      party = bytes.suffix(4).map(String.init).joined(separator: ".")
    } else {
      let groups = stride(from: 0, to: 8, by: 2).map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }
      party = groups.joined(separator: ":") + "::/64"
    }
  }
}
