import NIOCore
import Testing

@testable import Server

@Suite struct ClientAddressTests {
  @Test(
    arguments: [
      ("192.0.2.7", "192.0.2.7", false), ("127.0.0.1", "127.0.0.1", true), ("::1", "0:0:0:0::/64", true),
      ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", false), ("2001:db8:1:2::9", "2001:db8:1:2::/64", false),
      ("2001:db8:1:3::9", "2001:db8:1:3::/64", false), ("::ffff:192.0.2.7", "192.0.2.7", false),
      ("::ffff:127.0.0.1", "127.0.0.1", true),
    ])
  func clientsAreToldApartByTheirSubscriber(text: String, party: String, isLoopback: Bool) throws {
    let address = try #require(ClientAddress(try SocketAddress(ipAddress: text, port: 1)))
    #expect(address.party == party && address.isLoopback == isLoopback)
  }
}
