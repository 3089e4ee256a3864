import Machines
import Testing

@testable import Realtime

@Suite struct ReceiveStatisticsTests {
  private func receiver(_ arrivals: [(index: Int, at: Int64)], start: UInt16 = 0) throws -> StreamReceiver {
    let source = OpusSource(sequenceNumber: start)
    var receiver = StreamReceiver(ssrc: source.ssrc)
    for arrival in arrivals { _ = receiver.handle(try source.packet(arrival.index), at: .at(arrival.at)) }
    return receiver
  }

  @Test func reportsAQuarterLostAsSixtyFourOf256() throws {
    var receiver = try receiver([0, 1, 2, 4, 5, 6, 8, 9, 10, 12].map { ($0, Int64($0) * 20) })
    let block = receiver.reportBlock(at: .at(300))
    #expect(block.cumulativeLost == 3)
    #expect(block.fractionLost == UInt8(3 * 256 / 13))
    #expect(block.highestSequence == 12)
    #expect(block.jitter == 0)
  }

  @Test func beginsANewIntervalWithEachReport() throws {
    let source = OpusSource()
    var receiver = try receiver([(0, 0), (3, 60)])
    #expect(receiver.reportBlock(at: .at(70)).fractionLost == 128)
    for index in [4, 5] { _ = receiver.handle(try source.packet(index), at: .at(Int64(index) * 20)) }
    let second = receiver.reportBlock(at: .at(110))
    #expect((second.fractionLost, second.cumulativeLost) == (0, 2))
    // Both holes repaired: nothing lost in all, and no fraction below zero.
    for index in [1, 2, 6] { _ = receiver.handle(try source.packet(index), at: .at(120)) }
    let third = receiver.reportBlock(at: .at(130))
    #expect((third.fractionLost, third.cumulativeLost) == (0, 0))
  }

  @Test func countsWrapsInTheHighestNumber() throws {
    var receiver = try receiver([(0, 0), (1, 20), (2, 40)], start: 65_535)
    #expect(receiver.reportBlock(at: .at(50)).highestSequence == 0x0001_0001)
    #expect(receiver.statistics.lost == 0)
  }

  @Test func measuresJitterAsTheRFCDoes() throws {
    // 20 ms packets that arrive alternately 4 ms late: |D| is 192 ticks each time.
    var receiver = try receiver((0..<400).map { ($0, Int64($0) * 20 + ($0 % 2 == 0 ? 0 : 4)) })
    let jitter = receiver.reportBlock(at: .at(8_000)).jitter
    #expect((190...192).contains(jitter))
    #expect(receiver.statistics.jitterSpan < .milliseconds(4))
  }

  @Test func leavesRepairsOutOfTheJitter() throws {
    var arrivals = (0..<100).filter { $0 % 10 != 5 }.map { ($0, Int64($0) * 20) }
    arrivals.append(contentsOf: stride(from: 5, to: 100, by: 10).map { ($0, 2_100) })
    var receiver = try receiver(arrivals)
    #expect(receiver.reportBlock(at: .at(2_200)).jitter == 0)
    #expect(receiver.statistics.lost == 0)
  }

  @Test func doesNotCountAJumpAsLoss() throws {
    let source = OpusSource()
    var receiver = try receiver([(0, 0), (1, 20), (3, 60)])
    _ = receiver.handle(try source.packet(20_000), at: .at(80))
    _ = receiver.handle(try source.packet(20_001), at: .at(100))
    _ = receiver.handle(try source.packet(500), at: .at(120))
    #expect(receiver.statistics.expected == 4 + 2 + 1)
    #expect(receiver.statistics.lost == 1)
    #expect(receiver.segment == 2)
  }

  @Test func countsPayloadAndDuplicates() throws {
    let receiver = try receiver([(0, 0), (0, 1), (1, 20), (0, 21)])
    #expect(receiver.statistics.packets == 2)
    #expect(receiver.statistics.duplicates == 2)
    #expect(receiver.statistics.payloadBytes == 6)
    #expect(receiver.statistics.lost == 0)
  }
}
