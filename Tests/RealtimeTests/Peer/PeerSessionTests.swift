import Machines
import TestSupport
import Testing

@testable import Realtime

struct PeerSessionTests {
  @Test(arguments: SRTPProfile.allCases) func twoPeersHearEachOther(profile: SRTPProfile) throws {
    let link = try PeerLink.dtls(profiles: [profile])
    link.connect()
    #expect(link.profiles == [.left: [profile], .right: [profile]])
    link.left.send(rtp: PeerLink.music(1), at: link.now)
    link.right.send(rtp: PeerLink.music(9, ssrc: PeerLink.rightSSRC), at: link.now)
    link.drain()
    #expect(link.packets[.right]?.map(\.packet.bytes) == [PeerLink.music(1)])
    #expect(link.packets[.left]?.map(\.packet.bytes) == [PeerLink.music(9, ssrc: PeerLink.rightSSRC)])
    #expect(link.right.statistics.receivedPackets == 1)
    #expect(link.right.statistics.sentPackets == 1)
  }

  @Test(arguments: 0..<10) func connectsOverAPathThatLosesAThird(seed: Int) throws {
    var random = SeededRandom(UInt64(seed))
    let link = try PeerLink.dtls()
    // One of each three of a side. OpenSSL gives up after twelve attempts in a row that bring nothing, and chance alone may
    // make those.
    var fates: [PeerLink.Side: [Bool]] = [:]
    link.loses = { side, _ in
      if fates[side, default: []].isEmpty { fates[side] = [true, false, false].shuffled(using: &random) }
      return fates[side]?.removeLast() ?? false
    }
    link.connect()
    link.loses = { _, _ in false }
    link.playFromTheLeft(0..<5)
    #expect(link.packets[.right]?.count == 5)
    #expect(link.failures == [.left: [], .right: []])
  }

  @Test func answersAHelloInTwoDatagramsThatCameBeforeThePath() throws {
    let mine = try DTLSPair.serverCertificate.get()
    let other = try DTLSPair.clientCertificate.get()
    let client = try DTLSSession(
      role: .client, certificate: other, remoteFingerprints: [mine.fingerprint], configuration: DTLSPair.quick)
    var server = try PeerLink.session(.server, mine, expects: other.fingerprint, ssrc: 7, .receiveOnly)
    for datagram in try client.longHello(at: .start) { datagram.withUnsafeBytes { _ = server.receive($0, at: .start) } }
    let early = server.next() == nil
    #expect(early, "nothing can be sent before the path is up")
    server.pathConnected(at: .start + .milliseconds(20))
    var connected = false
    var moved = true
    while moved {
      moved = false
      while let output = server.next() {
        moved = true
        if case .send(let datagram) = output { datagram.withUnsafeBytes { client.receive($0, at: .start) } }
        if case .connected = output { connected = true }
      }
      while case .send(let datagram)? = client.next() {
        moved = true
        datagram.withUnsafeBytes { _ = server.receive($0, at: .start) }
      }
    }
    #expect(connected, "without any timer")
  }

  @Test func aPathThatComesUpAgainChangesNothing() throws {
    let link = try PeerLink.dtls()
    link.connect()
    link.left.pathConnected(at: link.now)
    link.right.pathConnected(at: link.now)
    link.drain()
    #expect(link.profiles[.right]?.count == 1)
    link.playFromTheLeft(0..<3)
    #expect(link.packets[.right]?.count == 3)
  }

  @Test func sendsNothingBeforeItIsConnected() throws {
    let link = try PeerLink.dtls()
    link.left.send(rtp: PeerLink.music(1), at: link.now)
    link.drain()
    #expect(link.sent[.left] == [])
    #expect(link.left.statistics.sentPackets == 0)
  }

  @Test func aStrangersCertificateFailsAndNothingIsDelivered() throws {
    let stranger = try DTLSCertificate()
    let link = try PeerLink.dtls(rightExpects: stranger.fingerprint)
    link.connect()
    #expect(link.failures[.right] == [.fingerprintMismatch])
    link.left.send(rtp: PeerLink.music(1), at: link.now)
    link.drain()
    link.inject(PeerLink.music(1), from: .left)
    #expect(link.packets[.right] == nil || link.packets[.right]?.isEmpty == true)
    #expect(link.profiles[.right] == [])
    #expect(link.right.deadline == nil)
    #expect(link.right.statistics.refusals.outOfSeason >= 1)
  }

  @Test func saysGoodbyeTwice() throws {
    let link = try PeerLink.dtls()
    link.connect()
    link.playFromTheLeft(0..<3)
    link.left.close()
    link.drain()
    #expect(link.closed == [.right])
    let goodbyes = link.compounds[.right]?.joined().filter { if case .goodbye = $0 { true } else { false } }
    #expect(goodbyes == [.goodbye(Goodbye(sources: [PeerLink.leftSSRC], reason: nil))])
    link.left.send(rtp: PeerLink.music(4), at: link.now)
    link.drain()
    #expect(link.packets[.right]?.count == 3, "nothing leaves a closed session")
    #expect(link.left.deadline == nil)
    #expect(link.right.deadline == nil)
  }

  @Test func aPauseThatIsSaidByGoodbyeIsNoEndUnderDTLS() throws {
    let link = try PeerLink.dtls()
    link.connect()
    link.playFromTheLeft(0..<3)
    link.left.send(rtcp: [
      .receiverReport(ReceiverReport(ssrc: PeerLink.leftSSRC, blocks: [])),
      .goodbye(Goodbye(sources: [PeerLink.leftSSRC])),
    ])
    link.drain()
    #expect(link.closed == [])
    link.playFromTheLeft(3..<6)
    #expect(link.packets[.right]?.count == 6)
  }
}
