import CLinux
import CNice
import Glibc
import Realtime

/// The addresses of this machine's interfaces.
package enum InterfaceAddresses {
  /// The addresses of all active interfaces, IPv4 and IPv6, without loopback: those that libnice gathers by itself.
  static var current: [String] {
    var addresses: [String] = []
    let list = nice_interfaces_get_local_ips(0)
    defer { g_list_free_full(list, g_free) }
    var next = list
    while let item = next {
      if let text = item.pointee.data { addresses.append(String(cString: text.assumingMemoryBound(to: CChar.self))) }
      next = item.pointee.next
    }
    return addresses
  }

  /// Every address of this machine with its network, which is nil for loopback and for a mask with holes.
  package static var networks: [(address: IPAddress, network: IPNetwork?)] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var found: [(address: IPAddress, network: IPNetwork?)] = []
    var next = first
    while let item = next {
      next = item.pointee.ifa_next
      guard let address = IPAddress(item.pointee.ifa_addr) else { continue }
      var network: IPNetwork?
      if address.scope != .loopback, let length = IPAddress(item.pointee.ifa_netmask)?.maskLength {
        network = IPNetwork(address, length: length)
      }
      found.append((address, network))
    }
    return found
  }
}

extension IPAddress {
  /// The address in a socket address; nil for other families.
  fileprivate init?(_ socketAddress: UnsafePointer<sockaddr>?) {
    guard let socketAddress else { return nil }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = Int(jamjar_address_bytes(socketAddress, &bytes))
    let groups = stride(from: 0, to: count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    switch count {
    case 4: self = .v4(groups.reduce(0) { $0 << 16 | UInt32($1) })
    case 16: self = .v6(groups)
    default: return nil
    }
  }

  /// The number of leading ones, if only zeros follow.
  fileprivate var maskLength: Int? {
    let groups: [UInt16] =
      switch self {
      case .v4(let number): [UInt16(truncatingIfNeeded: number >> 16), UInt16(truncatingIfNeeded: number)]
      case .v6(let groups): groups
      }
    let length = groups.reduce(0) { $0 + $1.nonzeroBitCount }
    let full = length / UInt16.bitWidth
    for (index, group) in groups.enumerated() {
      let ones = index < full ? 16 : index == full ? length % 16 : 0
      guard group == UInt16(truncatingIfNeeded: 0xFFFF << (16 - ones)) else { return nil }
    }
    return length
  }
}
