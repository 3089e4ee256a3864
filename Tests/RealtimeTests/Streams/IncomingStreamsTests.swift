import Machines
import Testing

@testable import Realtime

@Suite struct IncomingStreamsTests {
  @Test func refusesAPeerThatCountsItsSourceUp() throws {
    var streams = IncomingStreams()
    var taken = 0
    for ssrc in UInt32(0)..<10_000 {
      let packet = try OpusSource(ssrc: ssrc).packet(0)
      if streams.handle(packet, at: .at(Int64(ssrc) / 10)) != nil { taken += 1 }
    }
    #expect(taken == 4)
    #expect(streams.streams.count == 4)
    #expect(streams.refusedPackets == 9_996)
    #expect(streams.sourceChanges == 3)
  }

  @Test func makesRoomForANewSourceWhereAnOldOneIsSilentOrGone() throws {
    var streams = IncomingStreams()
    for ssrc in UInt32(1)...4 { _ = streams.handle(try OpusSource(ssrc: ssrc).packet(0), at: .at(0)) }
    #expect(streams.handle(try OpusSource(ssrc: 5).packet(0), at: .at(29_999)) == nil)
    streams.handle(.goodbye(Goodbye(sources: [3, 77])), at: .at(29_999))
    #expect(streams.handle(try OpusSource(ssrc: 5).packet(0), at: .at(29_999)) != nil)
    #expect(streams.stream(3) == nil)
    #expect(streams.handle(try OpusSource(ssrc: 6).packet(0), at: .at(30_000)) != nil)
    #expect(streams.stream(1) == nil)
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
