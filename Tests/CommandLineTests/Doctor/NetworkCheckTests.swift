import Glibc
import Server
import Testing

@testable import Realtime
@testable import jamjar

/// What the doctor says of names, addresses, ports and TURN.
@Suite struct NetworkCheckTests {
  private static func address(_ text: String) -> IPAddress { IPAddress(parsing: text) ?? .v4(0) }
  private static let own = [address("192.168.1.5"), address("127.0.0.1")]
  private static let seen = address("198.18.7.7")

  private static func name(_ addresses: [String], seen: IPAddress?) -> Finding {
    NameCheck.finding("studio.example", leadsTo: addresses.map(address), own: own, seen: seen)
  }

  @Test func aNameLeadsHereOrSomewhereElse() {
    #expect(Self.name([], seen: nil).level == .failure)
    #expect(Self.name([], seen: nil).sentence.contains("is not known"))
    #expect(Self.name(["192.168.1.5"], seen: nil).level == .ok)
    #expect(Self.name(["198.18.7.7"], seen: Self.seen).level == .ok)
    #expect(Self.name(["198.18.7.8"], seen: nil).level == .unknown)
    let wrong = Self.name(["198.18.7.8"], seen: Self.seen)
    #expect(wrong.level == .failure && wrong.sentence.contains("198.18.7.8") && wrong.sentence.contains("198.18.7.7"))
    let tunnel = NameCheck.finding(
      "studio.example", leadsTo: [Self.address("198.18.7.8")], own: Self.own, seen: Self.seen, isAnswered: true)
    #expect(tunnel.level == .unknown && tunnel.remedy?.contains("tunnel") == true)
    let half = Self.name(["198.18.7.7", "2001:db8::9"], seen: Self.seen)
    #expect(half.level == .warning && half.sentence.contains("2001:db8::9") && !half.sentence.contains("198.18.7.7"))
    #expect(Self.name(["127.0.0.1"], seen: Self.seen).level == .warning)
  }

  @Test func aMachineBehindARouterNeedsPorts() {
    func finding(_ answer: AddressCheck.Answer, _ ports: ClosedRange<UInt16>? = nil) -> Finding {
      AddressCheck.finding(answer, own: Self.own, ports: ports, page: 443)
    }
    let behind = AddressCheck.Answer.seen(.init(Self.seen, port: 5), from: Self.own[0], server: "s")
    #expect(finding(behind).level == .warning && finding(behind).remedy?.contains("--ice-ports") == true)
    let forwarded = finding(behind, 40_000...40_099)
    #expect(forwarded.level == .ok && forwarded.sentence.contains("TCP 443 and UDP 40000-40099 to 192.168.1.5"))
    #expect(finding(.seen(.init(Self.own[0], port: 5), from: Self.own[0], server: "s")).level == .ok)
    func announcing(_ address: String) -> Finding {
      AddressCheck.finding(behind, own: Self.own, ports: 40_000...40_099, page: 443, announced: address)
    }
    #expect(announcing(Self.seen.text).level == .ok)
    let former = announcing("198.18.99.1")
    #expect(former.level == .failure && former.remedy?.contains("--ice-public-address \(Self.seen.text)") == true)
    let inside = AddressCheck.Answer.seen(.init(Self.address("172.18.0.1"), port: 5), from: Self.own[0], server: "s")
    #expect(finding(inside).level == .unknown)
    #expect(finding(.notAsked).level == .unknown)
    #expect(finding(.silent(server: "s")).level == .failure)
  }

  @Test func aPortIsFreeOrTakenOrForbidden() {
    func finding(_ code: Int32) -> Finding {
      let problem = ListeningProblem(host: "0.0.0.0", port: 443, option: "--port", code: code)
      return PortCheck.finding(.problem(problem), what: "HTTP", host: "0.0.0.0", port: 443)
    }
    #expect(PortCheck.finding(.free, what: "HTTP", host: "h", port: 1).level == .ok)
    #expect(PortCheck.finding(.jamjar, what: "HTTP", host: "h", port: 1).level == .ok)
    #expect(finding(EADDRINUSE).remedy?.contains("ss -ltnp 'sport = :443'") == true)
    #expect(finding(EACCES).remedy?.contains("CAP_NET_BIND_SERVICE") == true)
    #expect(finding(EADDRNOTAVAIL).sentence.contains("is no address of this machine"))
    for code in [EADDRINUSE, EACCES, EADDRNOTAVAIL, EPROTO] { #expect(finding(code).level == .failure) }
  }

  @Test func aRefusedSecretIsNamed() {
    func finding(_ outcome: RelayCheck.Outcome, shared: Bool = true) -> Finding {
      RelayCheck.finding(outcome, url: "turn:t:3478", transport: "UDP", isShared: shared)
    }
    let refused = RelayCheck.Outcome.refused(.init(code: 401, reason: "Unauthorized"))
    #expect(finding(refused).level == .failure && finding(refused).remedy?.contains("static-auth-secret") == true)
    #expect(finding(refused, shared: false).remedy?.contains("user=") == true)
    #expect(finding(.refused(.init(code: 486, reason: ""))).remedy?.contains("quota") == true)
    #expect(finding(.allocated(at: .init(Self.seen, port: 9), milliseconds: 3)).level == .ok)
    for outcome in [RelayCheck.Outcome.open, .silent, .foreign, .unreachable(ECONNREFUSED)] {
      #expect(finding(outcome).level == .failure && finding(outcome).remedy != nil)
    }
    let slow = RelayCheck.finding(.silent, url: "turn:t:3478", transport: "TCP", isShared: true)
    #expect(slow.level == .warning, "most musicians need no TCP")
  }

  @Test func mediaThatDoesNotArriveFailsUnlessItIsRelayed() {
    #expect(MediaCheck.finding(.reached, port: 40_000, ports: nil, relays: false).level == .ok)
    #expect(MediaCheck.finding(.lost, port: 40_000, ports: nil, relays: false).level == .failure)
    #expect(MediaCheck.finding(.lost, port: 40_000, ports: 40_000...40_099, relays: true).level == .warning)
    #expect(MediaCheck.width(of: 40_000...40_007, capacity: 3)?.level == .warning)
    #expect(MediaCheck.width(of: 40_000...40_008, capacity: 3) == nil && MediaCheck.width(of: nil, capacity: 3) == nil)
  }

  @Test func aPageWithoutTLSHasNoMicrophone() {
    func level(_ tls: Bool, _ loopback: Bool, _ url: String?) -> Finding.Level {
      PageCheck.finding(hasTLS: tls, isLoopback: loopback, url: url).level
    }
    #expect(level(true, false, nil) == .ok)
    #expect(level(false, true, "https://studio.example") == .ok)
    #expect(level(false, true, nil) == .warning)
    #expect(level(false, false, "http://studio.example") == .failure)
  }

  @Test func anAddressThatDoesNotAnswerIsTheRoutersFaultOnlyWhileTheServiceRuns() {
    #expect(ReachCheck.finding(.silence, url: "u", isRunning: true).level == .warning)
    #expect(ReachCheck.finding(.silence, url: "u", isRunning: false).level == .unknown)
    #expect(ReachCheck.finding(.foreignName, url: "u", isRunning: true).remedy?.contains("--host-names") == true)
    #expect(ReachCheck.finding(.otherProgram, url: "u", isRunning: true).level == .failure)
  }
}

/// What the doctor says of the machine.
@Suite struct MachineCheckTests {
  private static let second: Int64 = 1_000_000_000

  @Test func aClockThatIsAnHourOffFails() {
    func finding(_ ahead: Int64?) -> Finding { ClockCheck.finding(ahead: ahead, of: "ntp.example") }
    #expect(finding(Self.second / 2).level == .ok)
    #expect(finding(-10 * Self.second).level == .warning)
    let hour = finding(-3_600 * Self.second)
    #expect(hour.level == .failure && hour.sentence == "The clock is 1 h 0 min behind, by ntp.example.")
    #expect(finding(90 * Self.second).sentence.contains("1 min 30 s ahead"))
    #expect(finding(nil).level == .unknown && finding(nil).sentence.contains("cannot be told"))
    #expect(finding(.min).level == .failure && finding(.max).level == .failure)
  }

  @Test func aDiskIsFullOrSlowOrForbidden() {
    func levels(_ free: Int64, _ speed: Double? = 2e8, _ slowest: Double? = 3) -> [Finding.Level] {
      DiskCheck.findings(.read(.init(free: free, speed: speed, slowest: slowest)), folder: "/r", capacity: 3).map(
        \.level)
    }
    let plenty: Int64 = 500_000_000_000
    #expect(levels(plenty) == [.ok, .ok])
    #expect(levels(20_000_000_000) == [.warning, .ok])
    #expect(levels(1_000_000_000, nil, nil) == [.failure])
    #expect(levels(plenty, 1e7) == [.ok, .warning] && levels(plenty, 1e6) == [.ok, .failure])
    #expect(levels(plenty, 2e8, 3_000) == [.ok, .warning])
    let refused = DiskCheck.findings(.refused("Permission denied"), folder: "/r", capacity: 3)
    #expect(refused.map(\.level) == [.failure] && refused[0].sentence.contains("/r"))
  }

  @Test func descriptorsAndLoopback() {
    #expect(MachineCheck.descriptors(65_536).level == .ok)
    #expect(MachineCheck.descriptors(1_024).level == .warning)
    #expect(MachineCheck.descriptors(64).level == .failure)
    #expect(MachineCheck.loopback(median: 0.05, worst: 0.2).level == .ok)
    #expect(MachineCheck.loopback(median: 0.05, worst: 9).level == .warning)
    #expect(MachineCheck.loopback(median: nil, worst: nil).level == .unknown)
  }
}

/// The addresses that the log names at the start.
@Suite struct PageAddressesTests {
  private static let own = ["127.0.0.1", "192.168.1.5", "198.18.7.7", "93.184.216.34", "fe80::1", "2606:2800::1"]
    .compactMap { IPAddress(parsing: $0) }

  private static func pages(
    _ host: String, url: String? = nil, names: [String] = [], tls: Bool = true, port: Int = 8_443
  ) -> [String] {
    PageAddresses(publicURL: url, names: names, host: host, isSecure: tls, own: own).all(port: port)
  }

  @Test func allAddressesAreThoseThatOthersReach() {
    #expect(Self.pages("0.0.0.0") == ["https://93.184.216.34:8443/", "https://192.168.1.5:8443/"])
    #expect(
      Self.pages("::").contains("https://[2606:2800::1]:8443/") && !Self.pages("::").contains { $0.contains("fe80") })
    #expect(Self.pages("192.168.1.5", tls: false, port: 80) == ["http://192.168.1.5/"])
  }

  @Test func aNameComesBeforeAnAddressAndThePublicOneFirst() {
    let pages = Self.pages("0.0.0.0", url: "https://band.example", names: ["studio.example", "*.example", "localhost"])
    #expect(pages.prefix(2) == ["https://band.example/", "https://studio.example:8443/"])
    #expect(!pages.contains { $0.contains("*") || $0.contains("localhost") || $0.contains("0.0.0.0") })
  }
}
