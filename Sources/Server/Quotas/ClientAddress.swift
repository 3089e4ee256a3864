import NIOCore
import Realtime

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
    if case .v4 = address {
      // Most clients, on every request: the text says it all.
      (party, isLoopback) = (text, text.hasPrefix("127."))
      return
    }
    isLoopback = HostName(text).isLoopback
    guard case .v6(let groups) = IPAddress(parsing: text), groups.count == 8 else {
      party = text
      return
    }
    if groups.prefix(5).allSatisfy({ $0 == 0 }), groups[5] == 0xFFFF {
      party = groups[6...].map { "\($0 >> 8).\($0 & 0xFF)" }.joined(separator: ".")
    } else {
      party = groups.prefix(4).map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
    }
  }
}
