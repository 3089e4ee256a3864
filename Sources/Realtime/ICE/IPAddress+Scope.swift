extension IPAddress {
  /// Where the address leads; IPv4 in IPv6 clothes counts as IPv4.
  package var scope: AddressScope {
    switch self {
    case .v4(let address): Self.scope(ofV4: address)
    case .v6(let groups): Self.scope(ofV6: groups)
    }
  }

  private static func scope(ofV4 address: UInt32) -> AddressScope {
    switch address {
    case 0x0000_0000...0x00FF_FFFF: .unusable
    case 0x7F00_0000...0x7FFF_FFFF: .loopback
    case 0x0A00_0000...0x0AFF_FFFF, 0xAC10_0000...0xAC1F_FFFF, 0xC0A8_0000...0xC0A8_FFFF: .privateNetwork
    case 0x6440_0000...0x647F_FFFF: .privateNetwork
    case 0xA9FE_0000...0xA9FE_FFFF: .linkLocal
    case 0xE000_0000...0xEFFF_FFFF: .multicast
    case 0xF000_0000...0xFFFF_FFFF: .unusable
    default: .global
    }
  }

  private static func scope(ofV6 groups: [UInt16]) -> AddressScope {
    guard groups.count == 8 else { return .unusable }
    let low = UInt32(groups[6]) << 16 | UInt32(groups[7])
    let head = groups[0..<6]
    if head.allSatisfy({ $0 == 0 }) {
      // ::, ::1, and the IPv4-compatible addresses of old.
      return low == 0 ? .unusable : low == 1 ? .loopback : scope(ofV4: low)
    }
    if head.elementsEqual([0, 0, 0, 0, 0, 0xFFFF]) || head.elementsEqual([0x64, 0xFF9B, 0, 0, 0, 0]) {
      // IPv4-mapped, and the NAT64 prefix of RFC 6052.
      return scope(ofV4: low)
    }
    // 6to4 carries its IPv4 address in the second and third group (RFC 3056).
    if groups[0] == 0x2002 { return scope(ofV4: UInt32(groups[1]) << 16 | UInt32(groups[2])) }
    return switch groups[0] {
    case 0xFF00...0xFFFF: .multicast
    case 0xFE80...0xFEBF: .linkLocal
    case 0xFC00...0xFDFF: .privateNetwork
    default: .global
    }
  }
}

extension ICECandidate {
  /// Where the candidate's address leads.
  package var scope: AddressScope {
    IPAddress(parsing: address)?.scope ?? .name
  }
}
