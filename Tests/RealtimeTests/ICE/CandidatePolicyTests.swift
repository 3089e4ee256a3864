import Machines
import Testing

@testable import Realtime

/// Which candidates make us send something (promise 10).
@Suite struct CandidatePolicyTests {
  /// A studio: 192.168.7.5/24 and fd00:7::5/64, and a public address of documentation's space.
  private static let studio = CandidatePolicy.Surroundings(
    own: Set(["192.168.7.5", "fd00:7::5", "8.8.4.4", "127.0.0.1"].compactMap { IPAddress(parsing: $0) }),
    networks: ["192.168.7.5/24", "fd00:7::5/64"].compactMap { IPNetwork(parsing: $0) })

  private static func policy(_ reach: String) throws -> CandidatePolicy {
    CandidatePolicy(
      reach: try #require(PeerReach(parsing: reach)), surroundings: studio,
      servicePorts: [8_080...8_080, 40_000...40_999])
  }

  private static func candidate(_ address: String, _ port: UInt16 = 50_000) -> String {
    "candidate:1 1 udp 2130706431 \(address) \(port) typ host generation 0"
  }

  private static func objection(
    to address: String, _ port: UInt16 = 50_000, reach: String = "public,nearby"
  ) throws -> CandidatePolicy.Objection? {
    switch try policy(reach).verdict(on: candidate(address, port)) {
    case .check: return nil
    case .refuse(let objection): return objection
    case .pass:
      Issue.record("\(address) was read as no address")
      return nil
    }
  }

  @Test(arguments: ["8.8.8.8", "2a00:1450::1", "::ffff:8.8.8.8", "192.168.7.9", "fd00:7::9", "::ffff:192.168.7.9"])
  func theInternetAndOurOwnNetworksAreChecked(address: String) throws {
    #expect(try Self.objection(to: address) == nil)
  }

  @Test(arguments: [
    ("127.0.0.1", CandidatePolicy.Objection.machine), ("127.8.8.8", .machine), ("::1", .machine),
    ("::ffff:127.0.0.1", .machine), ("::127.0.0.1", .machine), ("64:ff9b::127.0.0.1", .machine),
    ("2002:7f00:1::", .machine), ("192.168.7.5", .machine), ("::ffff:192.168.7.5", .machine), ("fd00:7::5", .machine),
    ("8.8.4.4", .machine), ("192.168.8.9", .privateNetwork), ("10.0.0.1", .privateNetwork),
    ("172.16.0.1", .privateNetwork), ("100.64.0.1", .privateNetwork), ("fd00:8::9", .privateNetwork),
    ("::ffff:10.0.0.1", .privateNetwork), ("169.254.169.254", .linkLocal), ("fe80::1", .linkLocal),
    ("fe80::1%2", .linkLocal), ("::ffff:169.254.169.254", .linkLocal), ("224.0.0.251", .multicast),
    ("ff02::fb", .multicast), ("::ffff:224.0.0.1", .multicast), ("0.0.0.0", .reserved), ("0.1.2.3", .reserved),
    ("::", .reserved), ("255.255.255.255", .reserved), ("240.0.0.1", .reserved), ("192.168.7.255", .reserved),
    ("192.0.2.9", .reserved), ("198.51.100.9", .reserved), ("203.0.113.9", .reserved), ("198.18.0.1", .reserved),
    ("192.0.0.8", .reserved), ("2001:db8::1", .reserved), ("100::1", .reserved), ("fec0::1", .reserved),
    ("4000::1", .reserved),
  ])
  func whatAStrangerMayNotReachIsRefused(address: String, objection: CandidatePolicy.Objection) throws {
    #expect(try Self.objection(to: address) == objection)
    // Whatever the port.
    #expect(try Self.objection(to: address, 8_080) == objection)
  }

  @Test(arguments: [0, 1, 53, 80, 123, 443, 1_023] as [UInt16])
  func portsOfTheSystemsServicesAreRefusedEverywhere(port: UInt16) throws {
    for address in ["8.8.8.8", "192.168.7.9", "127.0.0.1", "192.168.7.5"] {
      #expect(try Self.objection(to: address, port, reach: "any") == .port)
    }
    #expect(try Self.objection(to: "8.8.8.8", 1_024) == nil)
  }

  @Test func withTheMachineAllowedOnlyTheServicesPortsAreRefused() throws {
    for address in ["127.0.0.1", "::1", "192.168.7.5", "8.8.4.4"] {
      #expect(try Self.objection(to: address, reach: "public,machine") == nil)
      #expect(try Self.objection(to: address, 8_080, reach: "public,machine") == .service)
      #expect(try Self.objection(to: address, 40_500, reach: "any") == .service)
    }
    // Elsewhere these ports are anybody's.
    #expect(try Self.objection(to: "8.8.8.8", 8_080, reach: "any") == nil)
  }

  @Test func everyWordAddsItsOwnAddressesAndNoOthers() throws {
    let addresses = ["8.8.8.8", "192.168.7.9", "10.0.0.1", "127.0.0.1"]
    func allowed(_ reach: String) throws -> [String] {
      try addresses.filter { try Self.objection(to: $0, reach: reach) == nil }
    }
    #expect(try allowed("public") == ["8.8.8.8"])
    #expect(try allowed("nearby") == ["192.168.7.9"])
    #expect(try allowed("private") == ["192.168.7.9", "10.0.0.1"])
    #expect(try allowed("machine") == ["127.0.0.1"])
    #expect(try allowed("public, 10.0.0.0/8") == ["8.8.8.8", "10.0.0.1"])
    #expect(try allowed("Any") == addresses)
    #expect(try Self.objection(to: "8.8.8.8", reach: "nearby") == .everywhere)
  }

  @Test func networksByNumberAllowWhatNoWordDoes() throws {
    #expect(try Self.objection(to: "169.254.7.7", reach: "any") == .linkLocal)
    #expect(try Self.objection(to: "169.254.7.7", reach: "169.254.0.0/16") == nil)
    #expect(try Self.objection(to: "198.18.0.1", reach: "198.18.0.0/15") == nil)
    #expect(try Self.objection(to: "127.0.0.1", reach: "127.0.0.0/8") == nil)
    #expect(try Self.objection(to: "224.0.0.1", reach: "0.0.0.0/0") == .multicast)
    #expect(try Self.objection(to: "255.255.255.255", reach: "0.0.0.0/0") == .reserved)
  }

  /// As in a laboratory whose machines have addresses of documentation.
  @Test func ourOwnNetworkIsRealWhateverItsNumberSays() throws {
    let network = try #require(IPNetwork(parsing: "192.0.2.2/24"))
    let policy = CandidatePolicy(
      reach: .usual(onLoopback: false), surroundings: .init(own: [.v4(0xC000_0202)], networks: [network]))
    let neighbour = policy.verdict(on: Self.candidate("192.0.2.9"))
    #expect(neighbour != .refuse(.reserved) && neighbour != .pass)
    #expect(policy.verdict(on: Self.candidate("192.0.2.2")) == .refuse(.machine))
  }

  @Test(arguments: [
    "", "nonsense", "candidate:1 1 tcp 1518280447 8.8.8.8 9000 typ host tcptype active",
    "candidate:1 2 udp 2130706431 8.8.8.8 50000 typ host",
    "candidate:1 1 udp 2130706431 0b1c2d3e-1111-2222-3333-444455556666.local 50000 typ host",
    // Addresses to a lenient parser: all of them are 127.0.0.1.
    "candidate:1 1 udp 2130706431 2130706433 50000 typ host", "candidate:1 1 udp 2130706431 127.1 50000 typ host",
    "candidate:1 1 udp 2130706431 0x7f.0.0.1 50000 typ host", "candidate:1 1 udp 2130706431 0177.0.0.1 50000 typ host",
    "candidate:1 1 udp 2130706431 localhost 50000 typ host",
  ])
  func namesAndOtherTransportsArePassedOver(text: String) throws {
    #expect(try Self.policy("any").verdict(on: text) == .pass)
  }

  /// libnice splits at every single space: a doubled one would give its parser other fields than ours.
  @Test func whatIsCheckedIsWrittenAnew() throws {
    let verdict = try Self.policy("public").verdict(
      on: "a=candidate:1  1 udp   2130706431 8.8.8.8 50000  typ host raddr 0.0.0.0 rport 0\r\n")
    #expect(verdict == .check("1 1 udp 2130706431 8.8.8.8 50000 typ host raddr 0.0.0.0 rport 0"))
  }

  @Test func sixtyFourAreJudgedAndARestartBeginsAnew() throws {
    var screen = CandidateScreen(try Self.policy("public"))
    for index in 0..<CandidatePolicy.limit {
      #expect(!screen.isFull)
      // Refused ones count too: none of them is free.
      let verdict = screen.verdict(on: Self.candidate(index.isMultiple(of: 2) ? "8.8.8.8" : "10.0.0.1"))
      #expect(verdict != .refuse(.tooMany))
    }
    let isFull = screen.isFull
    let next = screen.verdict(on: Self.candidate("8.8.8.8"))
    #expect(isFull && next == .refuse(.tooMany))
    screen.restart()
    let afterRestart = screen.verdict(on: Self.candidate("8.8.8.8"))
    #expect(afterRestart != .refuse(.tooMany))
  }

  @Test func anAddressOfOursIsOursInEveryForm() {
    let own: Set<IPAddress> = Set(["2002:808:808::1", "8.8.4.4"].compactMap { IPAddress(parsing: $0) })
    let policy = CandidatePolicy(reach: .usual(onLoopback: false), surroundings: .init(own: own))
    for address in ["2002:808:808::1", "8.8.8.8", "::ffff:8.8.4.4", "64:ff9b::8.8.4.4"] {
      #expect(policy.verdict(on: Self.candidate(address)) == .refuse(.machine), "\(address)")
    }
  }

  @Test func theUsualReachHasTheMachineOnlyWithMediaOnLoopback() {
    #expect(PeerReach.usual(onLoopback: true).words == [.everywhere, .nearby, .machine])
    #expect(PeerReach.usual(onLoopback: false).words == [.everywhere, .nearby])
  }

  @Test(arguments: ["", ",", "everything", "public;nearby", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "fd00::/129"])
  func wordsThatMeanNothingAreNotTaken(text: String) {
    #expect(PeerReach(parsing: text) == nil)
  }
}

@Suite struct IPNetworkTests {
  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.9.9.9/8", "10.1.1.1", true),
    ("192.168.1.0/24", "192.168.1.255", true), ("192.168.1.4", "192.168.1.4", true),
    ("192.168.1.4", "192.168.1.5", false), ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false),
    ("::/0", "::1", true), ("::/0", "8.8.8.8", false), ("fd00::/8", "fdff::1", true),
    ("fd00:7::/64", "fd00:7::9", true),
    ("fd00:7::/64", "fd00:7:0:1::9", false), ("a00::/8", "10.0.0.1", false),
  ])
  func holdsTheAddressesOfItsPrefix(network: String, address: String, isInside: Bool) throws {
    let network = try #require(IPNetwork(parsing: network))
    #expect(network.contains(try #require(IPAddress(parsing: address))) == isInside)
  }

  @Test func knowsItsBroadcastAddress() throws {
    let broadcast = IPAddress.v4(0xC0A8_01FF)
    #expect(try #require(IPNetwork(parsing: "192.168.1.0/24")).isBroadcast(broadcast))
    #expect(try !#require(IPNetwork(parsing: "192.168.0.0/16")).isBroadcast(broadcast))
    #expect(try !#require(IPNetwork(parsing: "192.168.1.254/31")).isBroadcast(broadcast))
    #expect(try !#require(IPNetwork(parsing: "::/0")).isBroadcast(.v6([UInt16](repeating: .max, count: 8))))
  }
}
