import Machines

/// A network: the addresses that share the first bits of one, "192.168.1.0/24" (RFC 4632, RFC 4291 §2.3).
package struct IPNetwork: Sendable, Hashable {
  /// The address as 128 bits; IPv4 in the upper 32.
  private let bits: UInt128
  private let length: Int
  private let isV4: Bool

  /// The network of `address` with a prefix of `length` bits; nil if the address has fewer.
  package init?(_ address: IPAddress, length: Int) {
    let (bits, width) = IPNetwork.bits(of: address)
    guard (0...width).contains(length) else { return nil }
    self.bits = bits & IPNetwork.mask(length)
    self.length = length
    isV4 = width == 32
  }

  /// Parses "ADDRESS/LENGTH", or an address alone; nil for other text.
  package init?(parsing text: some StringProtocol) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = IPAddress(parsing: String(first)) else { return nil }
    guard parts.count == 2 else {
      self.init(address, length: IPNetwork.bits(of: address).width)
      return
    }
    guard let length = UInt8(digits: parts[1]) else { return nil }
    self.init(address, length: Int(length))
  }

  package func contains(_ address: IPAddress) -> Bool {
    let (other, width) = IPNetwork.bits(of: address)
    return isV4 == (width == 32) && other & IPNetwork.mask(length) == bits
  }

  /// True for the address that all hosts of an IPv4 network listen to (RFC 919); networks of one or two hosts have
  /// none.
  package func isBroadcast(_ address: IPAddress) -> Bool {
    guard isV4, length <= 30, contains(address) else { return false }
    let hosts = IPNetwork.mask(32) & ~IPNetwork.mask(length)
    return IPNetwork.bits(of: address).bits & hosts == hosts
  }

  private static func bits(of address: IPAddress) -> (bits: UInt128, width: Int) {
    switch address {
    case .v4(let number): (UInt128(number) << 96, 32)
    case .v6(let groups): (groups.reduce(0) { $0 << 16 | UInt128($1) }, 128)
    }
  }

  private static func mask(_ length: Int) -> UInt128 { length == 0 ? 0 : ~0 << UInt128(128 &- length) }
}
