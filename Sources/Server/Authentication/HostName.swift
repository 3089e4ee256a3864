import NIOCore

/// The host of an address that we listen on, of a `Host` header or of an `Origin`.
struct HostName: Hashable, Sendable {
  let text: String

  /// Without a port and without the brackets of IPv6, in lower case.
  init(_ text: String) {
    self.text = text.lowercased()
  }

  /// Reads `host[:port]` as it stands in `Host` (RFC 9110 section 7.2); nil where it is empty.
  init?(authority: String) {
    var host = Substring(authority)
    if host.first == "[" {
      guard let end = host.firstIndex(of: "]") else { return nil }
      host = host[host.index(after: host.startIndex)..<end]
    } else if let colon = host.firstIndex(of: ":") {
      host = host[..<colon]
    }
    guard !host.isEmpty else { return nil }
    self.init(String(host))
  }

  /// True where only this machine can be meant: `localhost` and what ends in it (RFC 6761), 127.0.0.0/8, ::1.
  var isLoopback: Bool {
    if text == "localhost" || text.hasSuffix(".localhost") { return true }
    guard let address = try? SocketAddress(ipAddress: text, port: 0) else { return false }
    switch address {
    case .v4: return text.hasPrefix("127.")
    case .v6:
      // "::1" in any of its spellings, and 127.0.0.0/8 mapped into IPv6.
      return address.ipAddress == "::1" || (address.ipAddress?.hasPrefix("::ffff:127.") ?? false)
    default: return false
    }
  }
}
