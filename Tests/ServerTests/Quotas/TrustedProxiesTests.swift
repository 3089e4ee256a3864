import Foundation
import Machines
import Music
import NIOHTTP1
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Server

/// Reverse proxies that are believed about their clients, and clients who would like to be somebody else.
@Suite(.timeLimit(.minutes(5))) struct TrustedProxiesTests {
  private func client(
    _ peer: String, _ forwardedFor: [String] = [], forwarded: [String] = [],
    trusting networks: String = "10.0.0.0/8,2001:db8::/32,127.0.0.1"
  ) throws -> String? {
    let proxies = try #require(TrustedProxies(parsing: networks))
    return proxies.client(of: peer, forwardedFor: forwardedFor, forwarded: forwarded)
  }

  @Test(
    arguments: [
      ("10.0.0.1", ["192.0.2.7"], "192.0.2.7"), ("127.0.0.1", ["192.0.2.7"], "192.0.2.7"),
      // What the client wrote itself stands on the left.
      ("10.0.0.1", ["203.0.113.9, 192.0.2.7"], "192.0.2.7"), ("10.0.0.1", ["203.0.113.9", "192.0.2.7"], "192.0.2.7"),
      // Proxies behind each other.
      ("10.0.0.1", ["192.0.2.7, 10.0.0.2,10.1.1.1"], "192.0.2.7"), ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
      ("2001:db8::1", ["2001:4860::8"], "2001:4860::8"), ("::ffff:10.0.0.1", ["192.0.2.7"], "192.0.2.7"),
      ("10.0.0.1", ["192.0.2.7:4711"], "192.0.2.7"), ("10.0.0.1", ["[2001:4860::8]:4711"], "2001:4860::8"),
      // From anybody else it is only text.
      ("198.51.100.1", ["192.0.2.7"], "198.51.100.1"), ("198.51.100.1", ["192.0.2.7, 10.0.0.1"], "198.51.100.1"),
      // What cannot be read hides nobody behind somebody else.
      ("10.0.0.1", ["192.0.2.7, unknown"], "10.0.0.1"), ("10.0.0.1", ["192.0.2.7, nonsense, 10.0.0.2"], "10.0.0.2"),
      ("10.0.0.1", [""], "10.0.0.1"), ("10.0.0.1", ["192.0.2.7,"], "10.0.0.1"), ("10.0.0.1", [], "10.0.0.1"),
      ("10.0.0.1", ["fe80::1%eth0"], "10.0.0.1"), ("10.0.0.1", ["[2001:4860::8"], "10.0.0.1"),
    ])
  func theClientIsTheLastThatNoTrustedProxyHas(peer: String, forwardedFor: [String], expected: String) throws {
    #expect(try client(peer, forwardedFor) == expected)
  }

  @Test(
    arguments: [
      (["for=192.0.2.7"], "192.0.2.7"), (["For=\"[2001:4860::8]:4711\";proto=https;by=10.0.0.1"], "2001:4860::8"),
      (["for=203.0.113.9, for=192.0.2.7;proto=https, for=10.0.0.2"], "192.0.2.7"),
      (["for=\"192.0.2.7, for=203.0.113.9\""], "10.0.0.1"), (["for=_hidden"], "10.0.0.1"),
      (["proto=https"], "10.0.0.1"), (["for=192.0.2.7", "for=unknown"], "10.0.0.1"),
    ])
  func forwardedIsReadAlike(forwarded: [String], expected: String) throws {
    #expect(try client("10.0.0.1", forwarded: forwarded) == expected)
    #expect(try client("198.51.100.1", forwarded: forwarded) == "198.51.100.1")
  }

  /// A proxy that knows only one of the two passes the other on as its client wrote it.
  @Test func forwardedCountsOnlyWithoutTheOther() throws {
    #expect(try client("10.0.0.1", ["192.0.2.7"], forwarded: ["for=203.0.113.9"]) == "192.0.2.7")
  }

  @Test func onlyTheLastHopsAreLookedAt() throws {
    let hops = Array(repeating: "10.0.0.2", count: 5_000).joined(separator: ",")
    #expect(try client("10.0.0.1", ["192.0.2.7," + hops]) == "10.0.0.2")
  }

  @Test func noProxyIsTrustedUnasked() {
    #expect(TrustedProxies.none.client(of: "127.0.0.1", forwardedFor: ["192.0.2.7"], forwarded: []) == "127.0.0.1")
    for text in [
      "", "proxy.example", "10.0.0.0/33", "0.0.0.0/0", "::/0", "10.0.0.0/00", "10.0.0.1,", "10.0.0.1;10.0.0.2",
    ] {
      #expect(TrustedProxies(parsing: text) == nil, "\(text)")
    }
    #expect(TrustedProxies(parsing: " 10.0.0.1 , fd00::/8 ") != nil)
  }

  private func behindAProxy(
    trusted: Bool, _ adjust: (inout ServerConfiguration) -> Void = { _ in }, _ body: (TestService) async throws -> Void
  ) async throws {
    let proxies = trusted ? TrustedProxies(parsing: "127.0.0.0/8,::1") : TrustedProxies.none
    let known = try #require(proxies)
    try await TestService.with(
      {
        $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
        $0.proxies = known
        $0.limits.quotas[.wrongSecret, per: .address] = .rate(3, per: .seconds(60))
        adjust(&$0)
      }, body)
  }

  private func statuses(_ count: Int, _ service: TestService, _ path: String, of client: String) async throws -> [Int] {
    let headers = [("Authorization", "Bearer wrong"), ("X-Forwarded-For", client)]
    var statuses: [Int] = []
    for _ in 0..<count { statuses.append(try await service.send(.GET, path, headers).status) }
    return statuses
  }

  @Test(arguments: ["/v1/takes", "/v1/rooms", "/getAllRooms"])
  func oneClientOfAProxyDoesNotShutOutTheOthers(path: String) async throws {
    try await behindAProxy(trusted: true) { service async throws in
      #expect(try await statuses(5, service, path, of: "192.0.2.7") == [401, 401, 401, 429, 429])
      #expect(try await statuses(1, service, path, of: "192.0.2.8") == [401])
      // Whatever it says of itself, it is where the proxy saw it.
      #expect(try await statuses(1, service, path, of: "203.0.113.9, 192.0.2.7") == [429])
    }
    try await behindAProxy(trusted: false) { service async throws in
      #expect(try await statuses(4, service, path, of: "192.0.2.7") == [401, 401, 401, 429])
      #expect(try await statuses(1, service, path, of: "192.0.2.8") == [429])
    }
  }

  /// The address of a proxy that is not trusted is everybody's, so nobody inherits a seat by it.
  @Test func behindAnUnknownProxyNobodyIsKnownByTheAddress() async throws {
    try await TestService.with { service async throws in
      let sdp = ("Content-Type", "application/sdp")
      func join(_ name: String, _ client: String?) async throws -> Int {
        let forwarded = client.map { [("X-Forwarded-For", $0)] } ?? []
        return try await service.send(.POST, "/whip/den?name=\(name)", [sdp] + forwarded, body: Offers.sending()).status
      }
      // Both have lost their links, and came from where the test's own requests come from.
      for name in ["Ada", "Bob"] {
        var request = JoinRequest(name: try DisplayName(checking: name))
        request.address = "127.0.0.1"
        let membership = try await service.broker.enter(try RoomName(checking: "den"), request)
        await membership.detach(SessionParting(isLeaving: false))
      }
      #expect(try await join("Bob", "192.0.2.7") == 409)
      #expect(try await join("Bob", "127.0.0.1") == 409)
      #expect(try await join("Bob", nil) == 201)
      #expect(try await join("Ada", nil) == 201)
    }
  }
}
