import Machines
import TestSupport
import Testing

@testable import Realtime

struct PeerSessionRepairTests {
  @Test(arguments: [0.02, 0.1, 0.3]) func bringsEveryLostPacketBack(loss: Double) throws {
    var random = SeededRandom(5)
    let link = try PeerLink.dtls()
    link.connect()
    link.delay = .milliseconds(15)
    // Nobody can miss what came before the first.
    link.playFromTheLeft(0..<1)
    link.loses = { side, bytes in side == .left && bytes.count > 150 && random.chance(loss) }
    link.playFromTheLeft(1..<500)
    // The last packets may be lost without a successor that shows the hole.
    link.loses = { _, _ in false }
    link.playFromTheLeft(500..<501)
    link.run(for: .milliseconds(500))
    let numbers = Set(link.packets[.right]?.map(\.extendedSequence) ?? [])
    #expect(numbers.count == 501)
    #expect(link.packets[.right]?.contains { $0.isDuplicate } == false)
    let statistics = link.right.statistics
    #expect(statistics.lost == 0)
    #expect(Double(statistics.repaired) > 250 * loss)
    #expect(statistics.openHoles == 0)
    let waits = link.right.hasOpenHoles
    #expect(!waits)
    #expect(Int64(link.left.statistics.repeated) >= statistics.repaired)
  }

  @Test func asksWithAWholeCompoundWhereReducedSizeWasNotAgreed() throws {
    let link = try PeerLink.dtls { $0.reducedSizeRTCP = false }
    link.connect()
    link.playFromTheLeft(0..<1)
    link.playFromTheLeft(2..<5)
    let compound = try #require(
      link.compounds[.left]?.first { $0.contains { if case .nack = $0 { true } else { false } } })
    guard case .receiverReport? = compound.first else {
      Issue.record(
        "a compound begins with a report (RFC 3550 §6.1), this one with \(String(describing: compound.first))")
      return
    }
    #expect(
      compound.last == .nack(GenericNack(sender: PeerLink.rightSSRC, media: PeerLink.leftSSRC, sequenceNumbers: [1])))
  }

  @Test func asksForNothingWhereItIsToldNotTo() throws {
    let link = try PeerLink.dtls { $0.nack = nil }
    link.connect()
    link.playFromTheLeft(0..<1)
    link.playFromTheLeft(5..<10)
    #expect(link.compounds[.left]?.joined().contains { if case .nack = $0 { true } else { false } } == false)
  }

  @Test func splitsManyRequestsIntoDatagramsThatFit() throws {
    let link = try PeerLink.dtls()
    link.connect()
    // Every twentieth packet arrives, so no two requests share a mask fully, and hundreds of holes are open at once.
    for number in stride(from: 0, to: 1_000, by: 20) { link.left.send(rtp: PeerLink.music(number), at: link.now) }
    link.drain()
    link.run(for: .milliseconds(15))
    let sent = try #require(link.sent[.right])
    #expect(!sent.isEmpty && sent.allSatisfy { $0.count <= 1200 })
    #expect(link.right.statistics.requests > 250)
  }

  @Test func learnsTheRoundTripOfAPureReceiver() throws {
    let link = try PeerLink.dtls(direction: .sendOnly)
    link.connect()
    link.delay = .milliseconds(30)
    link.playFromTheLeft(0..<400)
    let asReceiver = try #require(link.right.statistics.roundTrip)
    let asSender = try #require(link.left.statistics.roundTrip)
    #expect(abs(asReceiver.milliseconds - 60) < 1)
    #expect(abs(asSender.milliseconds - 60) < 1)
  }

  /// As of a sender that answers no reports.
  @Test func aRoundTripMeasuredBelowPacesItsRequests() throws {
    var counts: [Int] = []
    for trip in [nil, MonotonicTime.Span.milliseconds(200)] {
      let link = try PeerLink.dtls(direction: .sendOnly)
      link.connect()
      if let trip {
        link.right.observe(roundTrip: trip)
        #expect(link.right.statistics.roundTrip == trip)
      }
      // One packet is missing, and nobody sends it again.
      for number in [0, 2] { link.left.send(rtp: PeerLink.music(number), at: link.now) }
      link.drain()
      link.delay = .seconds(10)
      link.run(for: .milliseconds(500))
      counts.append(Int(link.right.statistics.requests))
    }
    #expect(counts[0] > 2 * counts[1] && counts[1] >= 2, "\(counts)")
  }

  @Test func reportsOnceASecondAndSendsReferenceTimesTenTimesAndMore() throws {
    let link = try PeerLink.dtls(direction: .sendOnly)
    link.connect()
    link.playFromTheLeft(0..<1_000)
    let times = link.compounds[.right]?.joined().filter { if case .senderReport = $0 { true } else { false } }
    let reports = link.compounds[.left]?.joined().filter {
      if case .receiverReport(let report) = $0 { !report.blocks.isEmpty } else { false }
    }
    #expect((100...125).contains(times?.count ?? 0))
    #expect((9...11).contains(reports?.count ?? 0))
    #expect(link.left.statistics.remoteLoss == 0)
    #expect(link.right.statistics.jitter < .milliseconds(1))
  }

  @Test func forwardsToASubscriberWhoseLossesAreRepairedHere() throws {
    var random = SeededRandom(17)
    let publication = try PeerLink.dtls(direction: .sendOnly)
    let subscription = try PeerLink.dtls(direction: .receiveOnly)  // the subscriber is on the left
    publication.connect()
    subscription.connect()
    var lost: [[UInt8]] = []
    subscription.loses = { side, bytes in
      guard side == .right, bytes.count > 150, random.chance(0.1) else { return false }
      lost.append(bytes)
      return true
    }
    let source = Forwarder.Source(opusPayloadType: 111)
    publication.onPacket = { _, packet in
      subscription.right.forward(packet, from: source, at: subscription.now)
      subscription.drain()
    }
    for number in 0..<300 {
      publication.playFromTheLeft(number..<number + 1)
      subscription.run(for: .milliseconds(10))
    }
    subscription.loses = { _, _ in false }
    publication.playFromTheLeft(300..<301)
    subscription.run(for: .milliseconds(200))
    let heard = subscription.packets[.left] ?? []
    #expect(Set(heard.map(\.extendedSequence)).count == 301)
    #expect(heard.allSatisfy { $0.packet.header.ssrc == PeerLink.rightSSRC })
    #expect(heard.first?.packet.payload == publication.packets[.right]?.first?.packet.payload)
    #expect(subscription.right.statistics.repeated > 10)
    // Anything else under the same number would be encrypted with a key stream that was used before (RFC 3711 section 9.1).
    let sent = subscription.sent[.right] ?? []
    #expect(lost.allSatisfy { datagram in sent.count { $0 == datagram } > 1 }, "they are written again as they were")
    #expect(publication.left.statistics.repeated == 0, "the musician is not bothered")
  }
}
