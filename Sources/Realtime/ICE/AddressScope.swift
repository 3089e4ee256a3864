/// The scope of an address, as far as its number shows (IANA's special-purpose registries, RFC 6890, RFC 4291).
///
/// A peer's candidate or a webhook's address makes us send packets to it, so the shells refuse what their policy
/// forbids (promises 5, 10).
package enum AddressScope: Sendable, Hashable {
  /// Globally reachable.
  case global
  /// A private, shared or unique local network.
  case privateNetwork
  /// Link-local (169.254/16, fe80::/10), which includes cloud metadata services.
  case linkLocal
  /// Loopback.
  case loopback
  case multicast
  /// Documentation, benchmarks, protocol assignments, unassigned space: nobody there, unless a network uses it.
  case reserved
  /// "This network", the unspecified address, 240/4, broadcast: no possible peer.
  case unusable
  /// A name rather than an address, for example an mDNS name.
  case name
}

extension IPAddress {
  /// The scope of the address; IPv4 embedded in IPv6 counts as IPv4.
  package var scope: AddressScope {
    switch unwrapped {
    case .v4(let address): Self.scope(ofV4: address)
    case .v6(let groups): Self.scope(ofV6: groups)
    }
  }

  /// The IPv4 address embedded in this one, otherwise the address itself.
  ///
  /// Embedding forms: IPv4-mapped and the obsolete IPv4-compatible (RFC 4291 §2.5.5), the NAT64 prefix (RFC 6052), and
  /// 6to4 (RFC 3056).
  package var unwrapped: IPAddress {
    guard case .v6(let groups) = self, groups.count == 8 else { return self }
    let low = UInt32(groups[6]) << 16 | UInt32(groups[7])
    switch (groups[0], groups[1], Array(groups[2..<5]), groups[5]) {
    // :: and ::1 are addresses of their own.
    case (0, 0, [0, 0, 0], 0) where low > 1, (0, 0, [0, 0, 0], 0xFFFF), (0x64, 0xFF9B, [0, 0, 0], 0): return .v4(low)
    case (0x2002, _, _, _): return .v4(UInt32(groups[1]) << 16 | UInt32(groups[2]))
    default: return self
    }
  }

  private static func scope(ofV4 address: UInt32) -> AddressScope {
    switch address {
    case 0x0000_0000...0x00FF_FFFF: .unusable
    case 0x7F00_0000...0x7FFF_FFFF: .loopback
    case 0x0A00_0000...0x0AFF_FFFF, 0xAC10_0000...0xAC1F_FFFF, 0xC0A8_0000...0xC0A8_FFFF: .privateNetwork
    case 0x6440_0000...0x647F_FFFF: .privateNetwork
    case 0xA9FE_0000...0xA9FE_FFFF: .linkLocal
    // Protocol assignments, documentation (three), 6to4 relays, benchmarks.
    case 0xC000_0000...0xC000_00FF, 0xC000_0200...0xC000_02FF, 0xC633_6400...0xC633_64FF,
      0xCB00_7100...0xCB00_71FF, 0xC058_6300...0xC058_63FF, 0xC612_0000...0xC613_FFFF:
      .reserved
    case 0xE000_0000...0xEFFF_FFFF: .multicast
    case 0xF000_0000...0xFFFF_FFFF: .unusable
    default: .global
    }
  }

  private static func scope(ofV6 groups: [UInt16]) -> AddressScope {
    guard groups.count == 8, let first = groups.first else { return .unusable }
    if groups.dropLast().allSatisfy({ $0 == 0 }) { return groups.last == 1 ? .loopback : .unusable }
    return switch first {
    case 0xFF00...0xFFFF: .multicast
    case 0xFE80...0xFEBF: .linkLocal
    case 0xFC00...0xFDFF: .privateNetwork
    // Teredo, ORCHID and other protocol assignments (2001::/23); documentation.
    case 0x2001 where groups[1] < 0x0200 || groups[1] == 0x0DB8: .reserved
    case 0x3FFF where groups[1] < 0x1000: .reserved
    // RFC 4291 §2.4: only 2000::/3 is assigned so far.
    case 0x2000...0x3FFF: .global
    default: .reserved
    }
  }
}

extension ICECandidate {
  /// The scope of the candidate's address.
  package var scope: AddressScope {
    IPAddress(parsing: address)?.scope ?? .name
  }
}
