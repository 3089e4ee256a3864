import Machines
import TestSupport
import Testing

@testable import Realtime

@Suite struct StreamReceiverTests {
  @Test func extendsNumbersAndTimesOverTheirWraps() throws {
    let source = OpusSource(sequenceNumber: 65_535, timestamp: UInt32.max - 959)
    var receiver = StreamReceiver(ssrc: source.ssrc)
    let first = try #require(receiver.handle(try source.packet(0), at: .at(0)))
    let second = try #require(receiver.handle(try source.packet(1), at: .at(20)))
    #expect(second.extendedSequence == first.extendedSequence + 1)
    #expect(second.extendedTimestamp == first.extendedTimestamp + 960)
    #expect(second.arrival == .at(20))
    #expect(receiver.extended(960) == second.extendedTimestamp + 960)
  }

  @Test func marksDuplicatesAndRepairs() throws {
    let source = OpusSource()
    var receiver = StreamReceiver(ssrc: source.ssrc)
    _ = receiver.handle(try source.packet(0), at: .at(0))
    _ = receiver.handle(try source.packet(2), at: .at(40))
    #expect(receiver.deadline == .at(50))
    #expect(receiver.requests(at: .at(50)) == [1])
    let repair = try #require(receiver.handle(try source.packet(1), at: .at(60)))
    #expect(repair.isRepair && !repair.isDuplicate)
    let again = try #require(receiver.handle(try source.packet(1), at: .at(61)))
    #expect(again.isDuplicate && !again.isRepair)
    #expect(receiver.statistics.repairs == 1)
  }

  @Test func leavesPacketsOfOthersAlone() throws {
    var receiver = StreamReceiver(ssrc: 1)
    #expect(receiver.handle(try OpusSource(ssrc: 2).packet(0), at: .at(0)) == nil)
    #expect(receiver.lastArrival == nil)
  }

  @Test func asksForNothingWhereThereIsNoWayBack() throws {
    let source = OpusSource()
    var receiver = StreamReceiver(ssrc: source.ssrc, nack: nil)
    for index in [0, 5] { _ = receiver.handle(try source.packet(index), at: .at(0)) }
    #expect(receiver.deadline == nil)
    #expect(receiver.statistics.lost == 4)
  }

  @Test func answersTheSendersReportWithItsMiddleBitsAndTheDelay() throws {
    var receiver = StreamReceiver(ssrc: 7)
    let report = SenderReport(
      ssrc: 7, time: NTPTime(bits: 0xB44D_B705_2000_0000), timestamp: 0, packetCount: 0, byteCount: 0)
    receiver.handle(report, at: .at(1_000))
    let block = receiver.reportBlock(at: .at(6_250))
    #expect(block.lastSenderReport == 0xB705_2000)
    // 5.25 s, the delay of the example in RFC 3550 §6.4.1.
    #expect(block.delaySinceLastSenderReport == 0x0005_4000)
  }

  @Test func startsANewTimeLineWhereTheSenderBeginsAnew() throws {
    let source = OpusSource(sequenceNumber: 30_000, timestamp: 0xF000_0000)
    var receiver = StreamReceiver(ssrc: source.ssrc)
    let before = try #require(receiver.handle(try source.packet(0), at: .at(0)))
    let restarted = OpusSource(sequenceNumber: 100, timestamp: 5)
    let after = try #require(receiver.handle(try restarted.packet(0), at: .at(20)))
    let next = try #require(receiver.handle(try restarted.packet(1), at: .at(40)))
    #expect((before.segment, after.segment, next.segment) == (0, 1, 1))
    #expect(after.extendedSequence > before.extendedSequence)
    #expect(next.extendedTimestamp == after.extendedTimestamp + 960)
    #expect(receiver.deadline == nil)
  }

  @Test(arguments: 1...4) func survivesPacketsWithRandomNumbers(seed: UInt64) throws {
    var random = SeededRandom(seed)
    var receiver = StreamReceiver(ssrc: 9)
    for step in 0..<2_000 {
      let writer = RTPWriter(
        payloadType: 111, sequenceNumber: .random(in: .min ... .max, using: &random),
        timestamp: .random(in: .min ... .max, using: &random), ssrc: 9)
      _ = receiver.handle(try RTPPacket(parsing: writer.packet(payload: [])), at: .at(Int64(step)))
      _ = receiver.requests(at: .at(Int64(step)))
      if step % 100 == 0 { _ = receiver.reportBlock(at: .at(Int64(step))) }
    }
    #expect(receiver.nacks.openHoles <= 512)
    #expect(receiver.segment > 100)
  }
}
