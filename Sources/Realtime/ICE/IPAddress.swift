/// An IP address parsed from text, used to reject candidates with forbidden destinations.
package enum IPAddress: Sendable, Hashable {
  /// The four bytes as one number in network byte order.
  case v4(UInt32)
  /// Eight groups of 16 bits.
  case v6([UInt16])

  /// Parses dotted IPv4 or IPv6 (RFC 4291 §2.2), the latter with or without a zone; nil for names and malformed text.
  package init?(parsing text: String) {
    if let address = Self.v4(text) {
      self = .v4(address)
    } else if let groups = Self.v6(String(text.prefix { $0 != "%" })) {
      self = .v6(groups)
    } else {
      return nil
    }
  }

  private static func v4(_ text: some StringProtocol) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var address: UInt32 = 0
    for part in parts {
      // "010" is ten to some parsers and eight to others, so it is refused.
      guard let byte = UInt8(digits: part), part.utf8.count == 1 || !part.hasPrefix("0") else { return nil }
      address = address << 8 | UInt32(byte)
    }
    return address
  }

  private static func v6(_ text: String) -> [UInt16]? {
    guard text.utf8.count <= 45 else { return nil }
    let halves = text.split(separator: "::", omittingEmptySubsequences: false)
    guard halves.count <= 2, let first = halves.first, let head = groups(first, last: halves.count == 1) else {
      return nil
    }
    guard halves.count == 2 else { return head.count == 8 ? head : nil }
    guard let tail = groups(halves[1], last: true), head.count + tail.count <= 7 else { return nil }
    // in range: both have at most 7 together
    return head + [UInt16](repeating: 0, count: 8 - head.count - tail.count) + tail
  }

  /// The groups of one half of the address; the last may end in dotted IPv4.
  private static func groups(_ half: Substring, last: Bool) -> [UInt16]? {
    guard !half.isEmpty else { return [] }
    let words = half.split(separator: ":", omittingEmptySubsequences: false)
    var groups: [UInt16] = []
    for (index, word) in words.enumerated() {
      if last, index == words.count - 1, let address = v4(word) {
        groups += [UInt16(truncatingIfNeeded: address >> 16), UInt16(truncatingIfNeeded: address)]
      } else {
        guard (1...4).contains(word.utf8.count), word.utf8.first != UInt8(ascii: "+"),
          let group = UInt16(word, radix: 16)
        else { return nil }
        groups.append(group)
      }
    }
    return groups
  }
}

extension IPAddress {
  /// The scope of the address; IPv4 embedded in IPv6 counts as IPv4.
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
      // ::, ::1, and the obsolete IPv4-compatible addresses.
      return low == 0 ? .unusable : low == 1 ? .loopback : scope(ofV4: low)
    }
    if head.elementsEqual([0, 0, 0, 0, 0, 0xFFFF]) || head.elementsEqual([0x64, 0xFF9B, 0, 0, 0, 0]) {
      // IPv4-mapped, and the NAT64 prefix of RFC 6052.
      return scope(ofV4: low)
    }
    // 6to4 has its IPv4 address in the second and third group (RFC 3056).
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
  /// The scope of the candidate's address.
  package var scope: AddressScope {
    IPAddress(parsing: address)?.scope ?? .name
  }
}

/// The scope of an address, as far as its number shows (RFC 6890, RFC 4291).
///
/// A peer's candidate makes us send packets to it, so the shell refuses those that its policy forbids (promise 10).
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
  /// "This network", the unspecified address, reserved blocks, broadcast: no possible peer.
  case unusable
  /// A name rather than an address, for example an mDNS name.
  case name
}
