import CLinux
import Glibc
import Testing

@testable import Rooms

@Suite struct InterfaceAddressesTests {
  /// IPv4 addresses of interfaces that are up, by the system itself, without loopback.
  static var addresses: [String] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var found: [String] = []
    var next = first
    while let item = next {
      next = item.pointee.ifa_next
      let flags = item.pointee.ifa_flags
      guard let address = item.pointee.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET),
        flags & UInt32(IFF_RUNNING) != 0, flags & UInt32(IFF_LOOPBACK) == 0
      else { continue }
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let length = socklen_t(MemoryLayout<sockaddr_in>.size)
      guard getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else { continue }
      found.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
    return found
  }

  @Test func areThoseOfTheSystemWithoutLoopback() {
    let current = InterfaceAddresses.current
    for address in InterfaceAddressesTests.addresses { #expect(current.contains(address)) }
    #expect(!current.contains("127.0.0.1") && !current.contains("::1"))
  }
}
