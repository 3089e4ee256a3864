import Machines
import Testing

@testable import Recording

struct JournalWriterTests {
  @Test func theFastPathWritesTheSameBytesAsTheFrame() throws {
    let packet: [UInt8] = [0x80, 111, 1, 2, 3, 4, 5]
    var quick = JournalWriter(header: try JournalSamples.header())
    packet.withUnsafeBytes { quick.append(rtp: $0, track: 2, arrival: JournalSamples.time(5_001)) }
    quick.append(rtcp: packet, track: 3, arrival: JournalSamples.time(5_002))
    let frames: [JournalFrame] = [
      .rtp(track: 2, arrival: JournalSamples.time(5_001), packet: packet),
      .rtcp(track: 3, arrival: JournalSamples.time(5_002), packet: packet),
    ]
    #expect(quick.take() == (try JournalSamples.journal(frames)))
  }

  @Test func whatIsTakenInPiecesMakesTheSameJournal() throws {
    let frames = JournalSamples.packets(50)
    var writer = JournalWriter(header: try JournalSamples.header())
    var pieces: [UInt8] = writer.take()
    for frame in frames {
      writer.append(frame)
      #expect(writer.count > 0)
      pieces += writer.take()
      #expect(writer.count == 0)
    }
    #expect(pieces == (try JournalSamples.journal(frames)))
  }

  @Test func refusesAndCountsWhatNoReaderWouldTake() throws {
    var writer = JournalWriter(header: try JournalSamples.header())
    let before = writer.count
    writer.append(
      rtp: [UInt8](repeating: 0, count: JournalFormat.maximumBody + 1), track: 1, arrival: .init(nanoseconds: 1))
    #expect(writer.count == before)
    #expect(writer.refusedFrames == 1)
    writer.append(
      rtp: [UInt8](repeating: 0, count: JournalFormat.maximumBody), track: 1, arrival: .init(nanoseconds: 1))
    var reader = JournalReader()
    reader.feed(writer.take())
    #expect(try reader.all().count == 1)
    #expect(reader.missingFrames == 0)
  }

  @Test func goesOnWhereAReaderEnded() throws {
    let frames = JournalSamples.packets(5)
    var bytes = try JournalSamples.journal(frames)
    var reader = JournalReader()
    reader.feed(bytes)
    _ = try reader.all()
    var writer = try #require(JournalWriter(resuming: reader))
    writer.append(.end(at: JournalSamples.time(9_000), .recovered))
    bytes += writer.take()
    var second = JournalReader()
    second.feed(bytes)
    #expect(try second.all() == frames + [.end(at: JournalSamples.time(9_000), .recovered)])
    #expect(second.missingFrames == 0)
  }

  @Test func cannotGoOnBeforeTheHeaderWasRead() {
    #expect(JournalWriter(resuming: JournalReader()) == nil)
  }
}
