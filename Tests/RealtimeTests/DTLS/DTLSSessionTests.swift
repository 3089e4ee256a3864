import COpenSSL
import Machines
import TestSupport
import Testing

@testable import Realtime

struct DTLSSessionTests {
  @Test func agreesOnGCMWhenBothSidesHaveIt() throws {
    let pair = try DTLSPair()
    pair.run()
    #expect(pair.events == [.client: [.connected(.aeadAES128GCM)], .server: [.connected(.aeadAES128GCM)]])
  }

  @Test func takesCounterModeFromAPeerThatHasNothingElse() throws {
    var onlyCounterMode = DTLSPair.quick
    onlyCounterMode.profiles = [.aes128CMSHA180]
    let pair = try DTLSPair(client: onlyCounterMode)
    pair.run()
    #expect(pair.events[.server] == [.connected(.aes128CMSHA180)])
  }

  @Test func theServersPreferenceDecides() throws {
    var counterModeFirst = DTLSPair.quick
    counterModeFirst.profiles = [.aes128CMSHA180, .aeadAES128GCM]
    let pair = try DTLSPair(server: counterModeFirst)
    pair.run()
    #expect(pair.events[.client] == [.connected(.aes128CMSHA180)])
  }

  @Test func failsWithoutACommonProfile() throws {
    var onlyCounterMode = DTLSPair.quick
    onlyCounterMode.profiles = [.aes128CMSHA180]
    var onlyGCM = DTLSPair.quick
    onlyGCM.profiles = [.aeadAES128GCM]
    let pair = try DTLSPair(client: onlyCounterMode, server: onlyGCM)
    pair.run()
    #expect(pair.events[.server] == [.failed(.noCommonProfile)])
    #expect(pair.events[.client] == [.failed(.noCommonProfile)])
  }

  /// Chromium, Firefox, aiortc and GStreamer all have one of these.
  @Test(arguments: ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305"])
  func agreesOnForwardSecrecyWithAuthenticatedEncryption(cipher: String) throws {
    let pair = try DTLSPair()
    try #require(SSL_set_cipher_list(pair.client.session, cipher) == 1)
    pair.run()
    #expect(pair.events[.server] == [.connected(.aeadAES128GCM)])
    let chosen = try #require(SSL_CIPHER_get_name(SSL_get_current_cipher(pair.server.session)))
    #expect(String(cString: chosen) == cipher)
  }

  @Test(arguments: [
    "ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES256-SHA", "ECDHE-ECDSA-AES128-SHA", "AES128-GCM-SHA256",
    "DHE-RSA-AES128-GCM-SHA256",
  ])
  func refusesCiphersWithoutBoth(cipher: String) throws {
    let pair = try DTLSPair()
    try #require(SSL_set_cipher_list(pair.client.session, cipher) == 1)
    pair.run()
    #expect(pair.events[.server]?.count == 1)
    guard case .failed(.handshake)? = pair.events[.server]?.first else {
      Issue.record("\(pair.events)")
      return
    }
  }

  @Test func refusesAnythingBelowVersionOnePointTwo() throws {
    let pair = try DTLSPair()
    // Level 0, because OpenSSL itself no longer signs for old versions.
    try #require(SSL_set_cipher_list(pair.client.session, "ECDHE:@SECLEVEL=0") == 1)
    let control = { (command: Int32, version: Int) in SSL_ctrl(pair.client.session, command, version, nil) }
    try #require(control(SSL_CTRL_SET_MIN_PROTO_VERSION, Int(DTLS1_VERSION)) == 1)
    try #require(control(SSL_CTRL_SET_MAX_PROTO_VERSION, Int(DTLS1_VERSION)) == 1)
    pair.run()
    guard case .failed(.handshake)? = pair.events[.server]?.first else {
      Issue.record("\(pair.events)")
      return
    }
  }

  @Test func bothSidesHoldTheSameKeysCrossedOver() throws {
    let pair = try DTLSPair()
    pair.run()
    guard let client = pair.client.takeKeys(), let server = pair.server.takeKeys() else {
      Issue.record("a connected session has no keys")
      return
    }
    let clientSends = Array(client.sending.bytes)
    let clientReceives = Array(client.receiving.bytes)
    #expect(clientSends == Array(server.receiving.bytes))
    #expect(clientReceives == Array(server.sending.bytes))
    #expect(clientSends != clientReceives)
    #expect(clientSends.count == 28)
  }

  @Test func hasNoKeysBeforeTheHandshakeIsDone() throws {
    let pair = try DTLSPair()
    let none = pair.server.takeKeys() == nil
    #expect(none)
  }

  @Test(arguments: [DTLSPair.Side.client, .server], 0...5)
  func repairsALostHandshakeDatagram(of loser: DTLSPair.Side, number: Int) throws {
    var short = DTLSPair.quick
    short.longestDatagram = 300
    let pair = try DTLSPair(client: short, server: short)
    pair.loses = { side, index in side == loser && index == number }
    pair.run()
    #expect(pair.events[.client] == [.connected(.aeadAES128GCM)])
    #expect(pair.events[.server] == [.connected(.aeadAES128GCM)])
  }

  @Test func repairsThreeLostFlightsInARow() throws {
    let pair = try DTLSPair()
    pair.loses = { side, index in side == .client && index < 3 }
    pair.run()
    #expect(pair.events[.server] == [.connected(.aeadAES128GCM)])
  }

  @Test func waitsTwiceAsLongAfterEveryLossUpToALimit() {
    let pipe = DatagramPipe(
      acceptable: [], firstRetransmission: .milliseconds(200), longestRetransmission: .seconds(2))
    var times: [UInt32] = [pipe.retransmissionTime(after: 0)]
    for _ in 0..<5 { times.append(pipe.retransmissionTime(after: times[times.count - 1])) }
    #expect(times == [200_000, 400_000, 800_000, 1_600_000, 2_000_000, 2_000_000])
    #expect(pipe.retransmissionTime(after: .max) == 2_000_000)
  }

  @Test(arguments: 0..<10) func getsThroughAPathThatLosesAThird(seed: Int) throws {
    var random = SeededRandom(UInt64(seed))
    let pair = try DTLSPair()
    pair.loses = { _, _ in random.chance(0.33) }
    pair.run()
    #expect(pair.events[.client] == [.connected(.aeadAES128GCM)])
    #expect(pair.events[.server] == [.connected(.aeadAES128GCM)])
  }

  @Test func givesUpWhenNobodyAnswers() throws {
    let pair = try DTLSPair()
    pair.server.start(at: .start)
    pair.server.advance(to: .start + .seconds(19))
    #expect(pair.server.next() == nil)
    #expect(pair.server.deadline == .start + .seconds(20))
    pair.server.advance(to: .start + .seconds(20))
    #expect(pair.server.next() == .failed(.timeout))
    #expect(pair.server.deadline == nil)
  }

  @Test func acceptsAClientHelloInTwoDatagrams() throws {
    let pair = try DTLSPair()
    let hello = try pair.longHello()
    #expect(hello.count == 2)
    pair.server.start(at: .start)
    for datagram in hello { datagram.withUnsafeBytes { pair.server.receive($0, at: .start) } }
    pair.settle()
    #expect(pair.events[.server] == [.connected(.aeadAES128GCM)])
  }

  @Test func writesNoDatagramLongerThanAllowed() throws {
    let pair = try DTLSPair()
    pair.run()
    let lengths = pair.sent.values.joined().map(\.count)
    #expect(lengths.count > 3 && lengths.allSatisfy { $0 <= 1200 })
    var short = DTLSPair.quick
    short.longestDatagram = 300
    let tight = try DTLSPair(client: short, server: short)
    tight.run()
    // Not by counting: a busy machine repeats flights.
    #expect(lengths.contains { $0 > 300 })
    #expect(tight.sent.values.joined().allSatisfy { $0.count <= 300 })
  }

  @Test func doesNothingBeforeItIsStarted() throws {
    let pair = try DTLSPair()
    [UInt8](repeating: 22, count: 100).withUnsafeBytes { pair.server.receive($0, at: .start) }
    #expect(pair.client.next() == nil)
    #expect(pair.server.next() == nil)
    #expect(pair.server.deadline == nil)
  }

  @Test func saysGoodbye() throws {
    let pair = try DTLSPair()
    pair.run()
    pair.client.close()
    pair.settle()
    #expect(pair.events[.server] == [.connected(.aeadAES128GCM), .closed])
    #expect(pair.events[.client] == [.connected(.aeadAES128GCM)])
  }

  @Test func takesWhateverComesOnceItsBuffersAreReleased() throws {
    let pair = try DTLSPair()
    pair.run()
    var random = SeededRandom(3)
    for _ in 0..<50 {
      let noise = random.bytes(count: Int(random.next() % 300), first: 20 + UInt8(random.next() % 44))
      noise.withUnsafeBytes { pair.server.receive($0, at: pair.now) }
    }
    // The handshake once more: OpenSSL drops records that it has had.
    for datagram in pair.sent[.client] ?? [] { datagram.withUnsafeBytes { pair.server.receive($0, at: pair.now) } }
    pair.settle()
    pair.client.close()
    pair.settle()
    #expect(pair.events[.server] == [.connected(.aeadAES128GCM), .closed])
  }

  @Test(arguments: 0..<20) func survivesRandomBytesAtAnyMoment(seed: Int) throws {
    var random = SeededRandom(UInt64(seed))
    let pair = try DTLSPair()
    pair.server.start(at: .start)
    pair.client.start(at: .start)
    for _ in 0..<50 {
      let noise = random.bytes(count: Int(random.next() % 300), first: 20 + UInt8(random.next() % 44))
      noise.withUnsafeBytes { pair.server.receive($0, at: .start) }
    }
    pair.settle()
    // Random bytes are no records of a known version; at worst they end this one handshake.
    let events = pair.events[.server] ?? []
    #expect(events.count <= 1)
  }

  @Test func survivesAHandshakeWithBitsFlippedAndCut() throws {
    let model = try DTLSPair()
    model.run()
    let hello = try #require(model.sent[.client]?.first)
    for bit in stride(from: 0, to: hello.count * 8, by: 7) {
      var broken = hello
      broken[bit / 8] ^= 1 << UInt8(bit % 8)
      let pair = try DTLSPair()
      pair.server.start(at: .start)
      broken.withUnsafeBytes { pair.server.receive($0, at: .start) }
      broken.prefix(bit / 8).withUnsafeBytes { pair.server.receive($0, at: .start) }
      while let output = pair.server.next() {
        if case .connected = output { Issue.record("connected by one flight") }
      }
    }
  }
}
