import Machines
import TestSupport
import Testing

@testable import Realtime

/// Inputs whose keys come with the signaling (RTP/SAVP) or that have none (RTP/AVP).
struct PeerSessionWithoutHandshakeTests {
  private func configuration(_ ssrc: UInt32, sends: Bool) -> PeerSession.Configuration {
    PeerSession.Configuration(localSSRC: ssrc, cname: "test", mayReceive: !sends, maySend: sends)
  }

  private func plain(onlySource: UInt32? = nil) -> PeerLink {
    var receiver = configuration(PeerLink.rightSSRC, sends: false)
    receiver.onlySource = onlySource
    return PeerLink(
      left: PeerSession(plain: configuration(PeerLink.leftSSRC, sends: true)), right: PeerSession(plain: receiver))
  }

  private func keyed(_ profile: SRTPProfile, rightReceives: [UInt8]? = nil) throws -> PeerLink {
    let length = profile.keyLength + profile.saltLength
    let one = [UInt8](repeating: 1, count: length)
    let two = [UInt8](repeating: 2, count: length)
    return PeerLink(
      left: try PeerSession(
        keys: SRTPPair.pair(profile, sending: one, receiving: two),
        configuration: configuration(PeerLink.leftSSRC, sends: true)),
      right: try PeerSession(
        keys: SRTPPair.pair(profile, sending: two, receiving: rightReceives ?? one),
        configuration: configuration(PeerLink.rightSSRC, sends: false)))
  }

  @Test(arguments: SRTPProfile.allCases) func keysFromTheSignalingCarryMediaAndRepairIt(profile: SRTPProfile) throws {
    var random = SeededRandom(1)
    let link = try keyed(profile)
    link.connect()
    #expect(link.profiles[.right] == [profile])
    link.loses = { side, bytes in side == .left && bytes.count > 150 && random.chance(0.1) }
    link.playFromTheLeft(0..<200)
    link.loses = { _, _ in false }
    link.playFromTheLeft(200..<203)
    link.run(for: .milliseconds(200))
    #expect(Set(link.packets[.right]?.map(\.extendedSequence) ?? []).count == 203)
    #expect(link.right.statistics.repaired > 5)
  }

  @Test func theWrongKeyOpensNothing() throws {
    let link = try keyed(.aes128CMSHA180, rightReceives: [UInt8](repeating: 9, count: 30))
    link.connect()
    link.playFromTheLeft(0..<10)
    #expect(link.packets[.right]?.isEmpty == true)
    #expect(link.right.statistics.refusals.notAuthentic >= 10)
  }

  @Test func plainMediaFlowsAndIsRepaired() {
    var random = SeededRandom(2)
    let link = plain()
    link.connect()
    #expect(link.profiles[.right] == [nil])
    link.loses = { side, bytes in side == .left && bytes.count > 150 && random.chance(0.1) }
    link.playFromTheLeft(0..<200)
    link.loses = { _, _ in false }
    link.playFromTheLeft(200..<203)
    link.run(for: .milliseconds(200))
    #expect(Set(link.packets[.right]?.map(\.extendedSequence) ?? []).count == 203)
  }

  @Test func plainDuplicatesAreMarked() {
    let link = plain()
    link.connect()
    link.playFromTheLeft(0..<1)
    link.inject(PeerLink.music(0), from: .left)
    #expect(link.packets[.right]?.map(\.isDuplicate) == [false, true])
    #expect(link.right.statistics.duplicates == 1)
  }

  @Test func aStrangerIsKeptOutWhereTheSourceIsKnown() {
    let link = plain(onlySource: PeerLink.leftSSRC)
    link.connect()
    link.playFromTheLeft(0..<2)
    link.inject(PeerLink.music(0, ssrc: 666), from: .left)
    #expect(link.packets[.right]?.count == 2)
    #expect(link.right.statistics.refusals.unwanted == 1)
  }

  @Test func tellsTheCallerWhatWasMedia() {
    let link = plain()
    link.connect()
    let taken = PeerLink.music(0).withUnsafeBytes { link.right.receive($0, at: link.now) }
    let refused = [UInt8](repeating: 0x7F, count: 40).withUnsafeBytes { link.right.receive($0, at: link.now) }
    #expect(taken)
    #expect(!refused)
  }

  @Test func goodbyeIsTheEndWhereNoHandshakeSaysIt() {
    let link = plain()
    link.connect()
    link.playFromTheLeft(0..<3)
    link.left.close()
    link.drain()
    link.run(for: .milliseconds(500))
    #expect(link.closed == [.right])
  }

  @Test func goodbyeForAnSSRCThatGivesWayToAnotherIsNoEnd() {
    let link = plain()
    link.connect()
    for ssrc in UInt32(1)...40 {
      link.playFromTheLeft(0..<3, ssrc: ssrc)
      link.inject(RTCPCompound.write([.goodbye(Goodbye(sources: [ssrc]))]), from: .left)
      link.run(for: .milliseconds(100))
    }
    #expect(link.closed.isEmpty)
    #expect(link.packets[.right]?.count == 120)
    link.run(for: .milliseconds(400))
    #expect(link.closed == [.right], "the last one is an end")
  }

  @Test func survivesRandomMediaWithoutAuthentication() {
    let link = plain()
    link.connect()
    var random = SeededRandom(4)
    for _ in 0..<1_500 {
      var noise = random.bytes(count: Int(random.next() % 300), first: 0x80 | UInt8(random.next() % 64))
      if noise.count > 1, random.chance(0.5) { noise[1] = 192 + UInt8(random.next() % 32) }
      link.inject(noise, from: .left)
    }
    #expect(link.right.incoming.streams.count <= IncomingStreams.limit)
    #expect(link.right.statistics.refusals.total > 300)
  }
}
