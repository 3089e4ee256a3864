import Machines
import NIOCore
import Signaling
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

  @Test func anAddressHasSoManyConnectionsAtATimeAndLoopbackAnyNumber() throws {
    var table = QuotaTable.standard
    table[.connection, per: .address] = .held(3)
    let quotas = Quotas(table)
    let proxy = ClientAddress(try SocketAddress(ipAddress: "127.0.0.1", port: 1))
    let band = ClientAddress(try SocketAddress(ipAddress: "192.0.2.7", port: 1))
    let other = ClientAddress(try SocketAddress(ipAddress: "192.0.2.8", port: 1))
    var holds = try (0..<3).map { _ in try quotas.connect(from: band) }
    #expect(throws: RoomRefusal.self) { try quotas.connect(from: band) }
    let beside = try [other, proxy, nil].flatMap { address in try (0..<3).map { _ in try quotas.connect(from: address) }
    }
    holds.removeLast().release()
    holds.append(try quotas.connect(from: band))
    #expect(throws: RoomRefusal.self) { try quotas.connect(from: band) }
    for _ in 0..<10 { holds.append(try quotas.connect(from: proxy)) }
    withExtendedLifetime((holds, beside)) {}
  }
}
