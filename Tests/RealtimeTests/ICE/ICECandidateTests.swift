import Realtime
import TestSupport
import Testing

@Suite struct ICECandidateTests {
  /// Lines as libnice, Chromium, Safari, Firefox and aiortc write them.
  static let lines = [
    "candidate:1 1 UDP 2015363327 127.0.0.1 40004 typ host",
    "candidate:842163049 1 udp 1677729535 203.0.113.5 55422 typ srflx raddr 192.0.2.2 rport 55422 generation 0 "
      + "ufrag ab/+ network-id 1 network-cost 10",
    "candidate:3 1 tcp 1518280447 192.0.2.2 9 typ host tcptype active generation 0 ufrag x0 network-id 1",
    "candidate:2827340171 1 udp 2113937151 6a0f2c9e-1d7b-4b58-93c4-0e5f7a8b1c2d.local 54609 typ host generation 0",
    "candidate:0 2 UDP 92217342 2001:db8::1 61000 typ relay raddr 2001:db8::2 rport 1",
    "candidate:d0bcf3d9c29a2bc887618212a1623bfa 1 udp 2130706431 fd00::2 53259 typ prflx",
  ]

  @Test(arguments: lines)
  func givesEveryLineBack(line: String) throws {
    #expect(try ICECandidate(parsing: line).description == line)
    #expect(try ICECandidate(parsing: "a=" + line + "\r\n").description == line)
    #expect(try ICECandidate(parsing: String(line.dropFirst("candidate:".count))).description == line)
  }

  @Test func readsTheFields() throws {
    let candidate = try ICECandidate(parsing: Self.lines[1])
    #expect(candidate.foundation == "842163049")
    #expect(candidate.component == 1)
    #expect(candidate.isUDP)
    #expect(candidate.priority == 1_677_729_535)
    #expect(candidate.address == "203.0.113.5")
    #expect(candidate.port == 55_422)
    #expect(candidate.type == .serverReflexive)
    #expect(candidate.relatedAddress == "192.0.2.2")
    #expect(candidate.relatedPort == 55_422)
    #expect(candidate.generation == 0)
    #expect(candidate.usernameFragment == "ab/+")
    #expect(candidate.extensions.map(\.name) == ["generation", "ufrag", "network-id", "network-cost"])
  }

  /// Behind a router, what is announced beside the host's own address.
  @Test func isReachedAtTheAddressOfTheRouter() throws {
    let host = try ICECandidate(parsing: "candidate:1 1 UDP 2015363327 192.168.1.20 40004 typ host")
    let outer = try #require(host.reached(at: "203.0.113.10"))
    // 100 << 24 | the lower 24 bits of the host's own, so that the host's own address is preferred.
    #expect(
      outer.description
        == "candidate:p1 1 UDP 1679819007 203.0.113.10 40004 typ srflx raddr 192.168.1.20 rport 40004")
    #expect(outer.priority < host.priority && outer.priority & 0xFF_FFFF == host.priority & 0xFF_FFFF)
  }

  @Test(arguments: [
    "candidate:1 1 UDP 2015363327 203.0.113.10 40004 typ host", "candidate:1 1 UDP 2015363327 127.0.0.1 40004 typ host",
    "candidate:1 1 UDP 2015363327 169.254.1.1 40004 typ host", "candidate:1 1 UDP 2015363327 fd00::2 40004 typ host",
    "candidate:1 1 tcp 1518280447 192.168.1.20 9 typ host tcptype active",
    "candidate:1 1 UDP 92217342 192.168.1.20 61000 typ relay raddr 192.168.1.20 rport 1",
    "candidate:1 1 UDP 2015363327 6a0f2c9e.local 40004 typ host",
  ])
  func whatNoRouterLeadsHereIsNotAnnounced(line: String) throws {
    #expect(try ICECandidate(parsing: line).reached(at: "203.0.113.10") == nil)
  }

  @Test func knowsTCPAndMulticastNames() throws {
    let tcp = try ICECandidate(parsing: Self.lines[2])
    #expect(!tcp.isUDP)
    #expect(tcp.tcpType == .active)
    #expect(try ICECandidate(parsing: Self.lines[3]).isMDNS)
    #expect(try !ICECandidate(parsing: Self.lines[0]).isMDNS)
  }

  @Test(arguments: ["", "  ", "a=candidate:", "candidate:", "a=end-of-candidates", "\r\n"])
  func theEmptyCandidateEndsThem(text: String) {
    #expect(ICECandidate.isEndOfCandidates(text))
    #expect(!ICECandidate.isEndOfCandidates(Self.lines[0]))
  }

  @Test(arguments: [
    ("candidate:", ICECandidateError.empty),
    ("candidate:1 1 udp 5 192.0.2.2 9 typ", .tooFewFields(found: 7)),
    ("1 0 udp 5 192.0.2.2 9 typ host", .malformedComponent),
    ("1 257 udp 5 192.0.2.2 9 typ host", .malformedComponent),
    ("1 1 udp 0 192.0.2.2 9 typ host", .malformedPriority),
    ("1 1 udp 4294967296 192.0.2.2 9 typ host", .malformedPriority),
    ("1 1 udp -5 192.0.2.2 9 typ host", .malformedPriority),
    ("1 1 udp 5 192.0.2.2;reboot 9 typ host", .malformedAddress),
    ("1 1 udp 5 192.0.2.2 65536 typ host", .malformedPort),
    ("1 1 udp 5 192.0.2.2 9 type host", .unknownType),
    ("1 1 udp 5 192.0.2.2 9 typ best", .unknownType),
    ("1 1 udp 5 192.0.2.2 9 typ host tcptype quick", .unknownTCPType),
    ("1 1 udp 5 192.0.2.2 9 typ host raddr / rport 9", .malformedAddress),
    ("1 1 udp 5 192.0.2.2 9 typ srflx raddr 192.0.2.1 rport x", .malformedPort),
    ("1 1 udp 5 192.0.2.2 9 typ host generation", .unpairedExtension),
    ("1 1 udp 5 192.0.2.2 9 typ host" + String(repeating: " a b", count: 33), .tooManyExtensions(limit: 32)),
    ("1 1 udp 5 192.0.2.2 9 typ host x caf\u{E9}", .notPlainText),
    ("1 1 udp 5 192.0.2.2 9 typ host x a\r\nb y", .notPlainText),
    (String(repeating: "1", count: 1_025), .tooLong(limit: 1_024)),
  ])
  func saysWhatIsWrong(text: String, expected: ICECandidateError) {
    let error = #expect(throws: ICECandidateError.self) { try ICECandidate(parsing: text) }
    #expect(error == expected)
    #expect(error?.description.hasSuffix(".") == true)
  }

  @Test func survivesDamagedLines() throws {
    var noise = SeededRandom(3)
    var read = 0
    for round in 0..<2_000 {
      let bytes = noise.damage(Self.lines[round % Self.lines.count])
      guard let candidate = try? ICECandidate(parsing: String(decoding: bytes, as: UTF8.self)) else { continue }
      read += 1
      #expect(try ICECandidate(parsing: candidate.description) == candidate)
    }
    #expect(read > 200)
  }
}
