import Machines
import Music
import Realtime
import Recording
import Testing

@testable import Rooms

/// A take between its stop and the end of its journal.
@Suite struct EndingCaptureTests {
  private let zero = MonotonicTime(nanoseconds: 1_000_000_000)

  private func capture() throws -> Capture {
    let now = WallTime(milliseconds: 1_795_230_000_000)
    let capture = Capture(take: TakeID(at: now), zero: zero, startedAt: now, songTitle: nil)
    _ = capture.openTrack(
      for: Participant(id: ParticipantID(at: now), name: try DisplayName(checking: "ada")), part: nil, origin: "test",
      stream: JournalStream(opusPayloadType: 111), at: zero)
    return capture
  }

  private func packet(_ number: Int, at arrival: MonotonicTime) throws -> ReceivedPacket {
    let bytes = RTPWriter(
      payloadType: 111, sequenceNumber: UInt16(number), timestamp: UInt32(number * 960), ssrc: 1
    ).packet(payload: [7])
    return ReceivedPacket(
      packet: try RTPPacket(parsing: bytes), extendedSequence: Int64(number), extendedTimestamp: Int64(number) * 960,
      arrival: arrival)
  }

  @Test func whatArrivesAfterTheLastPacketsIsNotTheTakes() throws {
    let capture = try capture()
    let stop = zero + .seconds(10)
    capture.append(rtp: try packet(1, at: stop - .milliseconds(10)), track: 1)
    capture.isEnding(at: stop, until: stop + .milliseconds(600), now: stop)
    capture.append(rtp: try packet(2, at: stop + .milliseconds(600)), track: 1)
    // The loop stood still, and reads what came meanwhile.
    capture.append(rtp: try packet(3, at: stop + .milliseconds(601)), track: 1)
    #expect(capture.packetCount == 2)
    #expect(capture.lastAudio == stop + .milliseconds(600))
  }

  @Test func theRenderFollowsAtOnceWhenATakeEnds() throws {
    let capture = try capture()
    #expect(capture.followIsDue(at: zero + .seconds(1)))
    #expect(!capture.followIsDue(at: zero + .milliseconds(1_100)))
    let stop = zero + .milliseconds(1_100)
    capture.isEnding(at: stop, until: stop + .milliseconds(600), now: stop)
    #expect(capture.followIsDue(at: stop))
    #expect(!capture.followIsDue(at: stop + .milliseconds(50)))
    // What the journal says of the end may not have been on the disk then.
    #expect(capture.followIsDue(at: stop + .milliseconds(100)))
  }
}
