import Machines
import Testing

@testable import Realtime

@Suite struct IncomingStreamsTests {
  @Test func takesEveryPacketOfAPeerThatCountsItsSourceUpAndKeepsFewStreams() throws {
    var streams = IncomingStreams()
    for ssrc in UInt32(0)..<10_000 {
      let taken = streams.handle(try OpusSource(ssrc: ssrc).packet(0), at: .at(Int64(ssrc) / 10))
      try #require(!taken.isDuplicate)
      try #require(streams.streams.count <= IncomingStreams.limit)
    }
    #expect(streams.streams.map(\.ssrc) == Array(9_984..<10_000))
    #expect(streams.sourceChanges == 9_999)
    #expect(streams.retired.packets == 9_984)
  }

  @Test func keepsWhatAStreamCountedThatHadToGo() throws {
    var streams = IncomingStreams()
    let first = OpusSource(ssrc: 1)
    for index in [0, 1, 4] { _ = streams.handle(try first.packet(index), at: .at(0)) }
    #expect(streams.nacks(at: .at(10), sender: 9).count == 1)
    _ = streams.handle(try first.packet(2), at: .at(20))
    _ = streams.handle(try first.packet(2), at: .at(21))
    for ssrc in UInt32(2)...100 { _ = streams.handle(try OpusSource(ssrc: ssrc).packet(0), at: .at(Int64(ssrc))) }
    #expect(streams.stream(1) != nil, "it still waits for a packet")
    _ = streams.nacks(at: .at(4_000), sender: 9)
    _ = streams.handle(try OpusSource(ssrc: 101).packet(0), at: .at(4_000))
    #expect(streams.stream(1) == nil)
    let totals = streams.retired
    #expect((totals.lost, totals.repairs, totals.duplicates) == (1, 1, 1))
    #expect(totals.packets == 4 + 101 - 1 - Int64(IncomingStreams.limit))
  }

  @Test func aStreamThatSaidGoodbyeGoesFirst() throws {
    var streams = IncomingStreams()
    for ssrc in UInt32(1)...UInt32(IncomingStreams.limit) {
      _ = streams.handle(try OpusSource(ssrc: ssrc).packet(0), at: .at(Int64(ssrc)))
    }
    streams.handle(.goodbye(Goodbye(sources: [3, 77])), at: .at(100))
    _ = streams.handle(try OpusSource(ssrc: 50).packet(0), at: .at(100))
    #expect(streams.stream(3) == nil)
    _ = streams.handle(try OpusSource(ssrc: 51).packet(0), at: .at(100))
    #expect(streams.stream(1) == nil, "the one that was silent for longest")
    #expect(streams.stream(2) != nil)
  }

  @Test func asksEachSourceForItsOwnPackets() throws {
    var streams = IncomingStreams()
    for ssrc: UInt32 in [1, 2] {
      for index in [0, 2] {
        _ = streams.handle(try OpusSource(ssrc: ssrc, sequenceNumber: 100 * UInt16(ssrc)).packet(index), at: .at(0))
      }
    }
    #expect(streams.deadline == .at(10))
    #expect(
      streams.nacks(at: .at(10), sender: 9) == [
        GenericNack(sender: 9, media: 1, sequenceNumbers: [101]),
        GenericNack(sender: 9, media: 2, sequenceNumbers: [201]),
      ])
    #expect(streams.nacks(at: .at(11), sender: 9).isEmpty)
  }

  @Test func givesTheRoundTripToPresentAndComingStreams() throws {
    var streams = IncomingStreams()
    _ = streams.handle(try OpusSource(ssrc: 1).packet(0), at: .at(0))
    streams.roundTrip = .milliseconds(90)
    _ = streams.handle(try OpusSource(ssrc: 2).packet(0), at: .at(0))
    #expect(streams.streams.map(\.roundTrip) == [.milliseconds(90), .milliseconds(90)])
  }

  @Test func reportsOnlyOnSourcesHeardSinceTheLastReport() throws {
    var streams = IncomingStreams()
    for ssrc: UInt32 in [1, 2] { _ = streams.handle(try OpusSource(ssrc: ssrc).packet(0), at: .at(0)) }
    #expect(streams.reportBlocks(at: .at(1_000)).map(\.ssrc) == [1, 2])
    _ = streams.handle(try OpusSource(ssrc: 2).packet(1), at: .at(1_020))
    #expect(streams.reportBlocks(at: .at(2_000)).map(\.ssrc) == [2])
    #expect(streams.reportBlocks(at: .at(3_000)).isEmpty)
  }
}
