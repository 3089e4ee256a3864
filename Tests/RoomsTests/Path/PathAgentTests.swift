import Machines
import Realtime
import Recording
import Testing

@testable import Rooms

@Suite(.timeLimit(.minutes(5))) struct PathAgentTests {
  /// Two agents on one loop, connected over loopback.
  actor Pair {
    let loop: MediaLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var agents: [PathAgent] = []
    private(set) var received: [[UInt8]] = []
    private var arrivals: [MonotonicTime] = []
    var states: [PathState] = []
    /// Whether each candidate of the one was checked by the other.
    private(set) var checks: [Bool] = []
    private(set) var refusals: [CandidatePolicy.Objection] = []
    private var trips: [MonotonicTime.Span] = []
    private var waiting: CheckedContinuation<Void, Never>?
    private var condition: () -> Bool = { true }

    init(loop: MediaLoop) { self.loop = loop }

    /// Lets both find each other.
    /// - Parameters:
    ///   - other: the configuration of the second, if it differs.
    ///   - isRelayed: true if the first one may use nothing but its relay.
    func connect(
      _ configuration: ICEConfiguration, and other: ICEConfiguration? = nil, isRelayed: Bool = false
    ) async throws {
      let offerer = try PathAgent(loop: loop, configuration: configuration, isControlling: true)
      let answerer = try PathAgent(loop: loop, configuration: other ?? configuration, isControlling: false)
      agents = [offerer, answerer]
      if isRelayed { offerer.useRelayOnly() }
      for agent in agents {
        agent.onRefusal = { [weak self] objection in self?.assumeIsolated { $0.refusals.append(objection) } }
        agent.onState = { [weak self] state in
          self?.assumeIsolated {
            $0.states.append(state)
            $0.check()
          }
        }
        agent.onDatagram = { [weak self] datagram, _, arrival in
          let bytes = Array(datagram)
          self?.assumeIsolated {
            $0.received.append(bytes)
            $0.arrivals.append(arrival)
            $0.check()
          }
        }
        agent.onGathered = { [weak self] in self?.assumeIsolated { $0.check() } }
        try agent.gather()
      }
      await until { self.agents.allSatisfy(\.isGathered) }
      for (agent, other) in [(offerer, answerer), (answerer, offerer)] {
        let credentials = try #require(other.localCredentials)
        agent.setRemote(credentials)
        for candidate in other.localCandidates { checks.append(agent.addRemote(candidate: candidate)) }
        agent.endOfRemoteCandidates()
      }
      await until { self.agents.allSatisfy { $0.state == .connected } }
    }

    var areRelayed: [Bool] { agents.map { $0.direct == nil } }
    var candidates: [String] { agents.flatMap(\.localCandidates) }

    func exchange(_ count: Int) async -> [[UInt8]] {
      received = []
      for index in 0..<count {
        let bytes: [UInt8] = [0x80, UInt8(index & 0xFF), UInt8(index >> 8), 7]
        bytes.withUnsafeBytes { _ = agents[0].send($0) }
      }
      await until { self.received.count == count }
      return received
    }

    /// Sends datagrams 5 ms apart to the second one, behind a STUN message, while the loop stands still.
    /// - Returns: for each the times between which it was sent, and its arrival.
    func standStill(_ count: Int) async -> [(sent: ClosedRange<MonotonicTime>, arrival: MonotonicTime)] {
      (received, arrivals) = ([], [])
      var times: [ClosedRange<MonotonicTime>] = []
      // A Binding indication (RFC 8445 section 11), which libnice reads, and all that waits behind it.
      let indication: [UInt8] = [0, 0x11, 0, 0, 0x21, 0x12, 0xA4, 0x42] + [UInt8](repeating: 9, count: 12)
      indication.withUnsafeBytes { _ = agents[0].send($0) }
      for index in 0..<count {
        let sent = MonotonicClock.now
        [UInt8]([0x80, UInt8(index), 0, 7]).withUnsafeBytes { _ = agents[0].send($0) }
        times.append(sent...MonotonicClock.now)
        // The loop must not run, so its thread waits here.
        while MonotonicClock.now - sent < .milliseconds(5) {}
      }
      await until { self.received.last?.dropFirst().first == UInt8(count - 1) }
      // libnice hands the indication on too.
      return Array(zip(times, arrivals.suffix(count)))
    }

    /// Round trips of checks of both agents, by the answers of the other.
    func roundTrips() async -> [MonotonicTime.Span] {
      trips = []
      for agent in agents {
        agent.onRoundTrip = { [weak self] trip, _ in
          self?.assumeIsolated {
            $0.trips.append(trip)
            $0.check()
          }
        }
        agent.checks.start(at: MonotonicClock.now)
      }
      // A datagram may be lost, so one follows another.
      let ticker = Ticker(loop: loop, interval: .milliseconds(20)) { [weak self] now in
        self?.assumeIsolated { for agent in $0.agents { agent.check(at: now) } }
      }
      await until { self.trips.count >= 2 * self.agents.count }
      ticker.stop()
      for agent in agents { agent.onRoundTrip = { _, _ in } }
      return trips
    }

    func restart() async throws {
      let (offerer, answerer) = (agents[0], agents[1])
      for agent in agents { agent.restart() }
      offerer.setRemote(try #require(answerer.localCredentials))
      answerer.setRemote(try #require(offerer.localCredentials))
      for (agent, other) in [(offerer, answerer), (answerer, offerer)] {
        for candidate in other.localCandidates { agent.addRemote(candidate: candidate) }
      }
      await until { self.agents.allSatisfy { $0.state == .connected } }
    }

    /// The second one falls silent, as a machine without power does.
    /// - Returns: whether the first one could still send after it lost the path.
    func loseTheSecond() async -> Bool {
      agents.removeLast().close()
      await until { self.agents.first?.state == .lost }
      return [UInt8]([0x80, 1, 2, 3]).withUnsafeBytes { bytes in agents.contains { $0.send(bytes) } }
    }

    func close() {
      for agent in agents { agent.close() }
      agents = []
    }

    func until(_ condition: @escaping () -> Bool) async {
      guard !condition() else { return }
      self.condition = condition
      await withCheckedContinuation { waiting = $0 }
    }

    private func check() {
      guard condition(), let waiting else { return }
      self.waiting = nil
      waiting.resume()
    }
  }

  @Test func twoAgentsFindEachOtherOverLoopbackAndPassDatagrams() async throws {
    let loop = try MediaLoop(name: "test-loop")
    let pair = Pair(loop: loop)
    try await pair.connect(ICEConfiguration(addresses: ["127.0.0.1"]))
    #expect(await pair.checks.allSatisfy { $0 })
    let received = await pair.exchange(50)
    #expect(received.count == 50)
    #expect(Set(received.map { $0[1] }).count == 50)
    try await pair.restart()
    #expect(await pair.exchange(10).count == 10)
    await pair.close()
  }

  /// A peer behind a refused candidate proves itself by its own checks (a peer-reflexive candidate).
  @Test func aPeerWhoseCandidatesAreRefusedConnectsByItsOwnChecks() async throws {
    let loop = try MediaLoop(name: "test-loop")
    let pair = Pair(loop: loop)
    try await pair.connect(
      ICEConfiguration(addresses: ["127.0.0.1"], reach: PeerReach([.everywhere])),
      and: ICEConfiguration(addresses: ["127.0.0.1"]))
    let refusals = await pair.refusals
    #expect(!refusals.isEmpty && refusals.allSatisfy { $0 == .machine })
    #expect(Set(await pair.checks) == [true, false])
    #expect(await pair.exchange(20).count == 20)
    await pair.close()
  }

  /// libnice at the other end answers, whichever its role is, and hears of no conflict.
  @Test func checksOfOurOwnMeasureTheRoundTripBesideMedia() async throws {
    let loop = try MediaLoop(name: "test-loop")
    let pair = Pair(loop: loop)
    try await pair.connect(ICEConfiguration(addresses: ["127.0.0.1"]))
    for _ in 0..<3 {
      #expect(await pair.roundTrips().allSatisfy { $0 > .zero && $0 < .seconds(1) })
      #expect(await pair.exchange(10).allSatisfy { $0.count == 4 })
    }
    // With other credentials.
    try await pair.restart()
    #expect(await pair.roundTrips().allSatisfy { $0 < .seconds(1) })
    #expect(await pair.states.allSatisfy { $0 != .lost })
    await pair.close()
  }

  /// RFC 7675: without consent nothing is sent. libnice notices a silent peer after some 8 s, and this test takes as
  /// long.
  @Test func withoutConsentThePathIsLostAndNothingIsSent() async throws {
    let loop = try MediaLoop(name: "test-loop")
    let pair = Pair(loop: loop)
    try await pair.connect(ICEConfiguration(addresses: ["127.0.0.1"]))
    #expect(await !pair.loseTheSecond())
    await pair.close()
  }

  @Test func aStrangersHandshakeReachesNobody() async throws {
    let loop = try MediaLoop(name: "test-loop")
    let pair = Pair(loop: loop)
    try await pair.connect(ICEConfiguration(addresses: ["127.0.0.1"]))
    let stranger = UDPEndpoint()
    for port in try await pair.candidates.map({ try ICECandidate(parsing: $0).port }) {
      // Fatal DTLS alerts, which wait in the sockets before the pair's own datagrams.
      for _ in 0..<20 { stranger.send([21, 0xFE, 0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 40], to: port) }
    }
    let received = await pair.exchange(50)
    #expect(received.allSatisfy { $0.count == 4 && $0[3] == 7 } && received.count == 50)
    await pair.close()
  }

  /// Otherwise a recorder that stood still would measure its own standstill as the path's round trip.
  @Test func anArrivalIsTheKernelsAlsoBehindASTUNMessageThatWaited() async throws {
    let loop = try MediaLoop(name: "test-loop")
    let pair = Pair(loop: loop)
    try await pair.connect(ICEConfiguration(addresses: ["127.0.0.1"]))
    _ = await pair.exchange(1)
    // The two clocks are read one after the other.
    let grain = MonotonicTime.Span.milliseconds(2)
    for (index, datagram) in await pair.standStill(20).enumerated() {
      let (from, to) = (datagram.sent.lowerBound - grain, datagram.sent.upperBound + grain)
      let late = (datagram.arrival - datagram.sent.lowerBound).nanoseconds / 1000
      #expect((from...to).contains(datagram.arrival), "\(index): \(late) µs")
    }
    await pair.close()
  }

  @Test func thePortRangeIsKept() async throws {
    let loop = try MediaLoop(name: "test-loop")
    let pair = Pair(loop: loop)
    // Two ranges, as on two machines: within its own range an agent expects no peer.
    try await pair.connect(
      ICEConfiguration(addresses: ["127.0.0.1"], ports: 41_300...41_349),
      and: ICEConfiguration(addresses: ["127.0.0.1"], ports: 41_350...41_399))
    let ports = try await pair.candidates.map { try ICECandidate(parsing: $0).port }
    #expect(ports.count >= 2, "one of each agent")
    for port in ports { #expect((41_300...41_399).contains(port)) }
    await pair.close()
  }

  @Test func withLoopbackItGathersThereAndOnEveryInterface() async throws {
    let loop = try MediaLoop(name: "test-loop")
    let pair = Pair(loop: loop)
    try await pair.connect(ICEConfiguration(loopback: "127.0.0.1"))
    let addresses = try await pair.candidates.map { try ICECandidate(parsing: $0).address }
    #expect(addresses.contains("127.0.0.1"))
    for address in InterfaceAddressesTests.addresses { #expect(addresses.contains(address)) }
    await pair.close()
  }

  /// As behind a router: each address that it may lead to is announced a second time, by the same port.
  @Test func theRoutersAddressIsAnnouncedBesideOurOwn() async throws {
    let loop = try MediaLoop(name: "test-loop")
    let pair = Pair(loop: loop)
    try await pair.connect(ICEConfiguration(publicAddress: "203.0.113.10", loopback: "127.0.0.1"))
    let all = try await pair.candidates.map { try ICECandidate(parsing: $0) }
    let outer = all.filter { $0.type == .serverReflexive }
    #expect(outer == all.compactMap { $0.reached(at: "203.0.113.10") })
    let inner = InterfaceAddressesTests.addresses.filter { $0.contains(".") }
    #expect(Set(outer.compactMap(\.relatedAddress)) == Set(inner) && outer.count == 2 * inner.count)
    #expect(await pair.exchange(10).count == 10)
    await pair.close()
  }

  actor Prober {
    let loop: MediaLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    init(loop: MediaLoop) { self.loop = loop }

    func takes(_ candidates: [String]) throws -> [Bool] {
      let agent = try PathAgent(
        loop: loop, configuration: ICEConfiguration(addresses: ["127.0.0.1"]), isControlling: false)
      defer { agent.close() }
      try agent.gather()
      agent.setRemote(.init(usernameFragment: "abcd", password: "abcdefghijklmnopqrstuvwx"))
      return candidates.map { agent.addRemote(candidate: $0) }
    }

    func refusal(_ configuration: ICEConfiguration) -> String? {
      do {
        let agent = try PathAgent(loop: loop, configuration: configuration, isControlling: false)
        defer { agent.close() }
        try agent.gather()
        return nil
      } catch {
        return "\(error)"
      }
    }
  }

  @Test func candidatesThatCannotBeUsedArePassedOverQuietly() async throws {
    let loop = try MediaLoop(name: "test-loop")
    let taken = try await Prober(loop: loop).takes([
      "candidate:1 1 udp 2122260223 127.0.0.1 50000 typ host",
      "candidate:1 1 udp 2122260223 0b1c2d3e-1111-2222-3333-444455556666.local 50000 typ host",
      "candidate:1 1 tcp 1518280447 127.0.0.1 9 typ host tcptype active",
      "candidate:1 2 udp 2122260223 127.0.0.1 50000 typ host",
      "candidate:", "nonsense", "", "candidate:1 1 udp 2122260223 169.254.169.254 50000 typ host",
      "candidate:1 1 udp 2122260223 127.0.0.1 53 typ host",
    ])
    #expect(taken == [true] + [Bool](repeating: false, count: 8))
  }

  @Test func anAddressThatIsNoneIsRefusedWithASentence() async throws {
    let loop = try MediaLoop(name: "test-loop")
    let refusal = await Prober(loop: loop).refusal(ICEConfiguration(addresses: ["not-an-address"]))
    #expect(refusal?.contains("not-an-address") == true)
  }
}
