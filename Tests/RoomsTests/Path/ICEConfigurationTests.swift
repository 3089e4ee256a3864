import Machines
import Music
import Realtime
import Signaling
import Testing

@testable import Rooms

@Suite struct ICEConfigurationTests {
  @Test func addressesThatAreNamedAreAll() {
    let configuration = ICEConfiguration(addresses: ["192.0.2.7"], loopback: "127.0.0.1")
    #expect(configuration.gatheredAddresses == ["192.0.2.7"])
    #expect(configuration.plainAddress == "192.0.2.7")
  }

  @Test func besideLoopbackEveryInterfaceIsGathered() {
    let configuration = ICEConfiguration(loopback: "::1")
    #expect(configuration.gatheredAddresses == InterfaceAddresses.current + ["::1"])
  }

  @Test func plainRTPStaysOnLoopback() {
    #expect(ICEConfiguration(loopback: "127.0.0.1").plainAddress == "127.0.0.1")
    #expect(ICEConfiguration().plainAddress == "0.0.0.0")
  }

  @Test func withoutLoopbackItIsLeftToLibnice() {
    #expect(ICEConfiguration().gatheredAddresses == [])
  }

  @Test func withMediaOnLoopbackThisMachineIsAPeer() {
    for configuration in [
      ICEConfiguration(loopback: "127.0.0.1"), ICEConfiguration(addresses: ["127.0.0.1"]),
      ICEConfiguration(addresses: ["::1"]),
    ] {
      #expect(configuration.candidatePolicy.reach.words.contains(.machine))
    }
    #expect(!ICEConfiguration().candidatePolicy.reach.words.contains(.machine))
    #expect(!ICEConfiguration(addresses: ["192.0.2.7"]).candidatePolicy.reach.words.contains(.machine))
    let told = ICEConfiguration(loopback: "127.0.0.1", reach: PeerReach([.everywhere]))
    #expect(told.candidatePolicy.reach.words == [.everywhere])
  }

  @Test func thePolicyKnowsTheMachineItRunsOn() throws {
    let policy = ICEConfiguration(ports: 40_000...40_009, servicePorts: [8_080]).candidatePolicy
    #expect(policy.servicePorts == [8_080...8_080, 40_000...40_009])
    #expect(policy.surroundings.own.contains(.v4(0x7F00_0001)))
    for text in InterfaceAddressesTests.addresses {
      let address = try #require(IPAddress(parsing: text))
      #expect(policy.surroundings.own.contains(address))
      #expect(policy.surroundings.networks.contains { $0.contains(address) })
    }
    // Loopback is a network to nobody.
    #expect(!policy.surroundings.networks.contains { $0.contains(.v4(0x7F00_0001)) })
    let named = ICEConfiguration(addresses: ["127.0.0.1"]).candidatePolicy
    #expect(named.surroundings.own == policy.surroundings.own && named.surroundings.networks.isEmpty)
  }

  /// A candidate that names our router's address would have us knock at our own door.
  @Test func theRoutersAddressIsThisMachine() {
    let policy = ICEConfiguration(publicAddress: "203.0.113.10").candidatePolicy
    #expect(policy.surroundings.own.contains(.v4(0xCB00_710A)))
    #expect(policy.verdict(on: "candidate:1 1 udp 1 203.0.113.10 40000 typ srflx") == .refuse(.machine))
  }

  @Test func everyParticipantGetsCredentialsOfTheirOwn() throws {
    let secret = RelaySecret(Secret("a secret that coturn shares"))
    let stun = ICEServer(urls: ["stun:stun.example:3478"])
    let configuration = ICEConfiguration(
      relays: [
        .init(address: "192.0.2.9", port: 3_478, access: .timeLimited(secret), url: "turn:turn.example:3478"),
        .init(
          address: "192.0.2.8", port: 3_478, access: .fixed(.init(username: "u", password: "p")),
          url: "turn:old.example:3478"),
      ], announced: [stun])
    let now = WallTime(milliseconds: 1_000_000)
    let made = secret.credentials(for: "ada", at: 1_000)
    #expect(made.username == "44200:ada")
    #expect(
      configuration.servers(for: "ada", at: now) == [
        stun,
        ICEServer(
          urls: ["turn:turn.example:3478", "turn:turn.example:3478?transport=tcp"], username: made.username,
          credential: made.password),
        ICEServer(
          urls: ["turn:old.example:3478", "turn:old.example:3478?transport=tcp"], username: "u", credential: "p"),
      ])
    #expect(configuration.servers(for: "bob", at: now) != configuration.servers(for: "ada", at: now))
  }
}
