import Machines
import TestSupport
import Testing

@testable import Realtime

struct PeerSessionHostilityTests {
  private func connected() throws -> PeerLink {
    let link = try PeerLink.dtls(direction: .sendOnly)
    link.connect()
    return link
  }

  @Test func dropsAndCountsAReplay() throws {
    let link = try connected()
    link.playFromTheLeft(0..<3)
    let last = try #require(link.sent[.left]?.last { $0.count > 150 })
    for _ in 0..<5 { link.inject(last, from: .left) }
    #expect(link.packets[.right]?.count == 3)
    #expect(link.right.statistics.refusals.replayed == 5)
    #expect(link.right.statistics.duplicates == 0, "it never came as far as the streams")
  }

  @Test func dropsAndCountsFlippedBitsAndCuts() throws {
    let link = try connected()
    link.loses = { _, _ in true }
    link.left.send(rtp: PeerLink.music(1), at: link.now)
    link.drain()
    link.loses = { _, _ in false }
    let sealed = try #require(link.sent[.left]?.last)
    var tries = 0
    for bit in stride(from: 16, to: sealed.count * 8, by: 5) {
      var changed = sealed
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      link.inject(changed, from: .left)
      tries += 1
    }
    for length in 2..<sealed.count {
      link.inject(Array(sealed.prefix(length)), from: .left)
      tries += 1
    }
    #expect(link.packets[.right]?.isEmpty == true)
    #expect(link.right.statistics.refusals.unprotectFailures == tries)
    link.inject(sealed, from: .left)
    #expect(link.packets[.right]?.count == 1, "the true one is still welcome")
  }

  @Test func dropsAndCountsGarbage() throws {
    let link = try connected()
    var random = SeededRandom(3)
    for _ in 0..<1_000 {
      link.inject(
        random.bytes(count: Int(random.next() % 400), first: UInt8(truncatingIfNeeded: random.next())), from: .left)
    }
    link.inject([], from: .left)
    #expect(link.packets[.right]?.isEmpty == true)
    #expect(link.compounds[.right]?.isEmpty == true)
    #expect(link.right.statistics.refusals.garbage > 300)
    #expect(link.right.statistics.refusals.unprotectFailures > 100)
    #expect(link.closed == [])
    link.playFromTheLeft(0..<3)
    #expect(link.packets[.right]?.count == 3, "and the musician plays on")
  }

  @Test func tenThousandSourcesOfAnAuthenticPeerCostNoMoreThanAFew() throws {
    let one = [UInt8](repeating: 1, count: 28)
    let two = [UInt8](repeating: 2, count: 28)
    var session = try PeerSession(
      keys: SRTPPair.pair(.aeadAES128GCM, sending: two, receiving: one),
      configuration: .init(localSSRC: PeerLink.rightSSRC, cname: "test"))
    session.pathConnected(at: .start)
    var delivered = 0
    for group in UInt32(0)..<50 {
      // A sender's own sources are looked up one by one: one of 10 000 would take longer than all the rest.
      let sender = try SRTPContext(keys: SRTPPair.pair(.aeadAES128GCM, sending: one, receiving: two))
      for ssrc in group * 200..<(group + 1) * 200 {
        let sealed = try sender.protected(rtp: SRTPPair.rtp(1, ssrc: ssrc))
        sealed.withUnsafeBytes { _ = session.receive($0, at: .start) }
        while let output = session.next() { if case .rtp = output { delivered += 1 } }
      }
    }
    #expect(delivered == 10_000)
    #expect(session.incoming.streams.count == IncomingStreams.limit)
    #expect(session.statistics.receivedPackets == 10_000)
    #expect(session.statistics.sourceChanges == 9_999)
    #expect(session.statistics.refusals.total == 0)
  }

  @Test func takesNoMediaOnAConnectionThatOnlySends() throws {
    let link = try PeerLink.dtls { $0.mayReceive = false }
    link.connect()
    link.playFromTheLeft(0..<3)
    #expect(link.packets[.right]?.isEmpty == true)
    #expect(link.right.statistics.refusals.unwanted == 3)
  }

  @Test func sendsNoMediaOnAConnectionThatOnlyReceives() throws {
    let link = try connected()
    link.right.send(rtp: PeerLink.music(1, ssrc: PeerLink.rightSSRC), at: link.now)
    link.drain()
    #expect(link.packets[.left]?.isEmpty == true)
  }

  @Test func aRequestForTheSamePacketIsAnsweredOnceARoundTrip() throws {
    let link = try connected()
    link.playFromTheLeft(0..<10)
    let before = link.sent[.left]?.count ?? 0
    for _ in 0..<200 {
      link.right.send(rtcp: [
        .nack(GenericNack(sender: PeerLink.rightSSRC, media: PeerLink.leftSSRC, sequenceNumbers: [5]))
      ])
    }
    link.drain()
    #expect((link.sent[.left]?.count ?? 0) - before == 1)
  }

  @Test func authenticNonsenseIsCountedAndDropped() throws {
    let link = try connected()
    // An extension that reaches beyond the end is not opened; padding beyond the payload does.
    var padded = PeerLink.music(1)
    padded[0] |= 0x20
    padded[padded.count - 1] = 255
    padded.withUnsafeBytes { bytes in
      if let sealed = link.left.path.seal(rtp: bytes) { link.inject([UInt8](sealed), from: .left) }
    }
    [UInt8]([0x80, 200, 0, 40, 0, 0, 0, 1]).withUnsafeBytes { bytes in
      if let sealed = link.left.path.seal(rtcp: bytes) { link.inject([UInt8](sealed), from: .left) }
    }
    #expect(link.packets[.right]?.isEmpty == true)
    #expect(link.compounds[.right]?.isEmpty == true)
    #expect(link.right.statistics.refusals.malformed == 2)
  }
}
