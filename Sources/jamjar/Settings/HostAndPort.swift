import Glibc

/// "host:port", "[v6]:port" or "host".
struct HostAndPort: CustomStringConvertible {
  var host: String
  var port: UInt16

  init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  init?(_ text: String, defaultPort: UInt16) {
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      host = String(text[text.index(after: text.startIndex)..<end])
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.first == ":" else { return nil }
      guard let port = rest.isEmpty ? defaultPort : UInt16(rest.dropFirst()) else { return nil }
      self.port = port
    } else {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count <= 2, let first = parts.first, !first.isEmpty else { return nil }
      host = String(first)
      guard let port = parts.count == 2 ? UInt16(parts[1]) : defaultPort else { return nil }
      self.port = port
    }
  }

  /// As in a URL (RFC 3986 section 3.2.2): without the brackets a browser refuses an IPv6 address, and all servers with it.
  var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The host's first address as a number; libnice takes no names.
  var resolved: String? { resolved(in: AF_UNSPEC) }

  /// The host's first address of a family (AF_INET, AF_INET6) as a number.
  func resolved(in family: Int32) -> String? {
    var hints = addrinfo()
    hints.ai_family = family
    hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0, let list else { return nil }
    defer { freeaddrinfo(list) }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
      guard let base = buffer.baseAddress,
        getnameinfo(
          list.pointee.ai_addr, list.pointee.ai_addrlen, base, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) == 0
      else { return nil }
      return String(cString: base)
    }
  }
}
