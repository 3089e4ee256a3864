import CNice

/// The addresses of this machine's interfaces.
enum InterfaceAddresses {
  /// All that are up at this moment, IPv4 and IPv6, without loopback: what libnice gathers on by itself.
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
}
