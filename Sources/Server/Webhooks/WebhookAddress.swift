import Realtime

/// Which addresses a webhook may be sent to without being asked for: those that everybody on the internet reaches.
///
/// Whoever can name an endpoint must not reach by it what only this machine reaches: its own ports, the neighbours in
/// its network, the metadata service of its cloud (promise 5).
enum WebhookAddress {
  /// Blocks that are no addresses of the internet beside those of `AddressScope` (IANA special-purpose registries).
  private static let blocked4: [(network: UInt32, bits: UInt32)] = [
    (0xC000_0000, 24),  // 192.0.0.0/24, protocol assignments
    (0xC000_0200, 24),  // 192.0.2.0/24, documentation
    (0xC058_6300, 24),  // 192.88.99.0/24, 6to4 relays
    (0xC612_0000, 15),  // 198.18.0.0/15, benchmarks
    (0xC633_6400, 24),  // 198.51.100.0/24, documentation
    (0xCB00_7100, 24),  // 203.0.113.0/24, documentation
  ]

  static func isPublic(_ address: IPAddress) -> Bool {
    guard address.scope == .global else { return false }
    switch address {
    case .v4(let number):
      return !blocked4.contains { number >> (32 - $0.bits) == $0.network >> (32 - $0.bits) }
    case .v6(let groups):
      guard groups.count == 8 else { return false }
      // IPv4 in other clothes goes by IPv4's rules; nobody needs to be told by such an address.
      let isMapped = groups[0..<5].allSatisfy { $0 == 0 }
      let isTranslated = groups[0] == 0x64 && groups[1] == 0xFF9B
      // 2000::/3 is what is given out (RFC 4291); Teredo, ORCHID, 6to4 and documentation are taken out of it.
      guard groups[0] & 0xE000 == 0x2000, !isMapped, !isTranslated else { return false }
      if groups[0] == 0x2001, groups[1] < 0x0200 || groups[1] == 0x0DB8 { return false }
      if groups[0] == 0x2002 { return false }
      return !(groups[0] == 0x3FFF && groups[1] < 0x1000)
    }
  }
}
