import Realtime
import Testing

@Suite struct IPAddressTests {
  @Test(arguments: [
    ("8.8.8.8", AddressScope.global), ("2a00:1450::1", .global), ("172.32.0.1", .global), ("2002:0808:0808::", .global),
    ("10.1.2.3", .privateNetwork), ("172.16.0.1", .privateNetwork), ("192.168.1.1", .privateNetwork),
    ("100.64.0.1", .privateNetwork), ("fd00::2", .privateNetwork), ("::ffff:10.0.0.1", .privateNetwork),
    ("169.254.169.254", .linkLocal), ("fe80::1%eth0", .linkLocal), ("::ffff:a9fe:a9fe", .linkLocal),
    ("64:ff9b::169.254.169.254", .linkLocal), ("127.0.0.1", .loopback), ("127.255.0.1", .loopback), ("::1", .loopback),
    ("0:0:0:0:0:ffff:127.0.0.1", .loopback), ("::127.0.0.1", .loopback), ("2002:7f00:1::", .loopback),
    ("224.0.0.251", .multicast), ("ff02::fb", .multicast), ("0.0.0.0", .unusable), ("::", .unusable),
    ("255.255.255.255", .unusable), ("240.0.0.1", .unusable),
    ("192.0.2.1", .reserved), ("198.51.100.1", .reserved), ("203.0.113.1", .reserved), ("198.19.0.1", .reserved),
    ("192.0.3.1", .global), ("198.20.0.1", .global), ("2001:db8::1", .reserved), ("2001::1", .reserved),
    ("2001:200::1", .global), ("3fff::1", .reserved), ("3fff:1000::1", .global), ("64:ff9b:1::1", .reserved),
    ("fec0::1", .reserved), ("::2:1:1", .reserved),
  ])
  func knowsWhereAnAddressLeads(text: String, scope: AddressScope) throws {
    #expect(try #require(IPAddress(parsing: text)).scope == scope)
    #expect(ICECandidate(foundation: "1", priority: 1, address: text, port: 9, type: .host).scope == scope)
  }

  @Test(arguments: [
    "", "localhost", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.-4", "01.2.3.4", "1.2.3.", "0x7f.0.0.1", "2130706433",
    ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", "12345::", "g::", "::+1",
    "1.2.3.4::", "::1.2.3", "%eth0", "1:2:3:4:5:6:7:1.2.3.4",
  ])
  func takesNothingElseForAnAddress(text: String) {
    #expect(IPAddress(parsing: text) == nil)
    #expect(ICECandidate(foundation: "1", priority: 1, address: text, port: 9, type: .host).scope == .name)
  }
}
