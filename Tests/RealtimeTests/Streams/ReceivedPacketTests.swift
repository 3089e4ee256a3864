import Machines
import Testing

@testable import Realtime

/// Which of the packets of a stream tells when the others would have come.
@Suite struct ReceivedPacketTests {
  private func packet(
    _ number: Int, after milliseconds: Int64, source: UInt32 = 7, segment: Int = 0, isRepair: Bool = false
  ) throws -> ReceivedPacket {
    ReceivedPacket(
      packet: try OpusSource(ssrc: source).packet(number), extendedSequence: Int64(number),
      extendedTimestamp: Int64(number) * 960, arrival: MonotonicTime(nanoseconds: 0) + .milliseconds(milliseconds),
      isRepair: isRepair, segment: segment)
  }

  /// A musician left while a repair was the last to come: what was played before they left must not look 240 ms younger.
  @Test func aRepairTellsNothingOfTheWay() throws {
    let packets = try [
      packet(0, after: 10), packet(2, after: 50), packet(3, after: 95), packet(1, after: 270, isRepair: true),
    ]
    let quickest = try #require(ReceivedPacket.quickest(of: packets))
    #expect(quickest.extendedSequence == 0 || quickest.extendedSequence == 2)
    #expect(try quickest.arrival(of: packet(5, after: 999)) == MonotonicTime(nanoseconds: 110_000_000))
  }

  @Test func anEarlierStreamTellsNothingOfTheNewest() throws {
    let packets = try [
      packet(0, after: 0, source: 3), packet(9, after: 20), packet(1, after: 30, source: 3, isRepair: true),
    ]
    #expect(ReceivedPacket.quickest(of: packets)?.extendedSequence == 9)
    let segments = try [packet(50, after: 0), packet(9, after: 20, segment: 1)]
    #expect(ReceivedPacket.quickest(of: segments)?.segment == 1)
    #expect(try packet(0, after: 0).arrival(of: packet(1, after: 5, source: 3)) == nil)
    #expect(try packet(0, after: 0).arrival(of: packet(1, after: 5, segment: 1)) == nil)
    #expect(ReceivedPacket.quickest(of: []) == nil)
  }

  @Test func impossibleTimesAreNoTrap() throws {
    var far = try packet(0, after: 0)
    far.extendedTimestamp = .max
    var early = try packet(0, after: 0)
    early.extendedTimestamp = .min
    #expect(early.arrival(of: far) == nil)
    #expect(ReceivedPacket.quickest(of: [early, far])?.extendedTimestamp == .max)
  }
}
