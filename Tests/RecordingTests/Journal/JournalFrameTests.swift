import Machines
import Music
import Testing

@testable import Recording

struct JournalFrameTests {
  @Test func everyFrameIsReadAsItWasWritten() throws {
    let frames = try JournalSamples.frames() + JournalSamples.laterFrames()
    var reader = JournalReader()
    reader.feed(try JournalSamples.journal(frames))
    #expect(try reader.all() == frames)
    #expect(reader.pendingBytes == 0)
    #expect(reader.unknownFrames == 0)
  }

  @Test func theSamplesHaveEveryKindOfFrame() throws {
    let kinds = Set((try JournalSamples.frames() + JournalSamples.laterFrames()).map { $0.encoded.kind })
    #expect(kinds == Set(JournalKind.allCases))
  }

  @Test func theHeaderIsReadAsItWasWritten() throws {
    let header = try JournalSamples.header()
    var reader = JournalReader()
    reader.feed(try JournalSamples.journal([]))
    #expect(try reader.next() == nil)
    #expect(reader.header == header)
    #expect(reader.header?.take(inFolder: "a/b/c").id == header.take)
  }

  @Test func aHeaderWithoutSongOrOptionsIsReadToo() throws {
    let header = JournalHeader(take: try JournalSamples.take(song: nil), zero: JournalSamples.time(0), software: "")
    var reader = JournalReader()
    var writer = JournalWriter(header: header)
    reader.feed(writer.take())
    _ = try reader.next()
    #expect(reader.header == header)
  }

  @Test func moreOptionsThanFitAreLeftOutAndTheRestIsRead() throws {
    var header = try JournalSamples.header()
    for number in 0..<100 { header.options["option \(number)"] = String(repeating: "x", count: 4_000) }
    var writer = JournalWriter(header: header)
    var reader = JournalReader()
    reader.feed(writer.take())
    _ = try reader.next()
    #expect(reader.header?.take == header.take)
    #expect((5..<100).contains(reader.header?.options.count ?? 0))
  }

  @Test func tooLongATextIsCutBetweenCharacters() throws {
    let text = String(repeating: "é", count: 4_000)
    var reader = JournalReader()
    reader.feed(
      try JournalSamples.journal([.cue(at: .init(nanoseconds: 1), JournalSamples.id(1), text: text, author: nil)]))
    guard case .cue(_, _, let read, _) = try reader.next() else {
      Issue.record("no cue came back")
      return
    }
    #expect(read == String(repeating: "é", count: 2_048))
  }

  @Test func aNameThatTodaysRulesRefuseIsReducedAndNotLost() throws {
    var body = JournalSink()
    body.append("\u{202E}Mallory\u{0}")
    let frame = try JournalFrame(kind: .renamed, track: 1, time: .init(nanoseconds: 0), body: body.bytes[...])
    #expect(frame == .renamed(track: 1, at: .init(nanoseconds: 0), name: try JournalSamples.name("Mallory")))
  }

  @Test func knowsItsTimeAndTrack() throws {
    for frame in try JournalSamples.frames() + JournalSamples.laterFrames() {
      #expect(frame.time >= JournalSamples.time(5_010) && frame.time <= JournalSamples.time(5_039))
      let isOfWholeTake: Bool
      switch frame {
      case .wallClock, .cue, .song, .degraded, .standstill, .backing, .headerRepeated, .ending, .end:
        isOfWholeTake = true
      default: isOfWholeTake = false
      }
      #expect((frame.track == nil) == isOfWholeTake)
    }
  }

  @Test func aBodyThatIsTooShortIsSkippedAndCounted() throws {
    for frame in try JournalSamples.frames() + JournalSamples.laterFrames() {
      let (kind, body) = frame.encoded
      guard kind != .rtp, kind != .rtcp, !body.isEmpty else { continue }
      for length in 0..<body.count {
        // A shorter body is either refused or gives a frame of the same kind; it never traps.
        let short = try? JournalFrame(kind: kind, track: 1, time: frame.time, body: body[..<length])
        if let short { #expect(short.encoded.kind == kind) }
      }
    }
  }
}
