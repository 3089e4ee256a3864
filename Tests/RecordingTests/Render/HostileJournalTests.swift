import Machines
import Music
import TestSupport
import Testing

@testable import Recording

/// Journals whose checksums are right and whose numbers no recorder wrote: a hand did, or a release with a fault.
@Suite struct HostileJournalTests {
  /// Numbers at which arithmetic ends, and some near those that are usual.
  private static let numbers: [Int64] = [
    .min, .min + 1, -(1 << 53), -86_400_000_000_000, -1_000_000_000, -1, 0, 1, 999, 1_000_000_000, 1 << 53, .max - 1,
    .max,
  ]

  private func frames(_ good: [JournalFrame], _ random: inout SeededRandom) -> [JournalFrame] {
    var frames: [JournalFrame] = []
    for frame in good {
      frames.append(frame)
      func number() -> Int64 { Self.numbers.randomElement(using: &random) ?? 0 }
      guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
      // Most frames lie where they may, so that what follows is reached.
      let time = Bool.random(using: &random) ? frame.time : MonotonicTime(nanoseconds: number())
      let span = MonotonicTime.Span.nanoseconds(number())
      switch Int.random(in: 0..<11, using: &random) {
      case 0: frames.append(.clockSample(track: 1, arrival: time, senderTime: number(), roundTrip: span))
      case 1: frames.append(.roundTrip(track: 1, at: time, span))
      case 2: frames.append(.playoutDelay(track: 1, at: time, of: 2, delay: span))
      case 3: frames.append(.degraded(at: time, reason: "", lostBytes: number()))
      case 4: frames.append(.wallClock(at: time, WallTime(nanoseconds: number())))
      case 5: frames.append(.path(track: 1, at: time, isUp: Bool.random(using: &random)))
      case 6: frames.append(.cue(at: time, JournalSamples.id(9), text: "x", author: nil))
      case 7: frames.append(.streamChanged(track: 1, JournalStream(clockRate: 0, opusPayloadType: 111), at: time))
      case 8: frames.append(.checkTrip(track: 1, arrival: time, span))
      default:
        guard case .rtp(let track, _, var packet) = frame, packet.count > 8 else { continue }
        // Sequence number and RTP time.
        for index in 2..<8 { packet[index] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0 }
        frames.append(.rtp(track: track, arrival: time, packet: packet))
      }
    }
    return frames
  }

  @Test(arguments: 1...12) func numbersAtTheEndsOfTheirRangeTrapNothing(seed: UInt64) throws {
    let take = try VirtualTake([VirtualPlayer("ada"), VirtualPlayer("bob")], length: 3)
    var random = SeededRandom(seed)
    var header = take.header
    header.startedAt = WallTime(nanoseconds: Self.numbers[Int(seed) % Self.numbers.count])
    if seed == 11 { header.zero = MonotonicTime(nanoseconds: .min) }
    if seed == 12 { header.zero = MonotonicTime(nanoseconds: .max) }
    var writer = JournalWriter(header: header)
    for frame in frames(take.frames, &random) { writer.append(frame) }

    let scratch = try ScratchFolder()
    let folder = try TakeFolder.create(for: header.take(inFolder: "Studio/x/y"), in: scratch.path)
    let file = try JournalFile(creatingIn: folder)
    try file.append(writer.take())
    try file.sync()
    _ = try JournalRecovery.recover(file)

    var follower = try JournalFollower(folder: folder)
    var readings = HearingReadings()
    var sound: RenderedSound?
    var render: RollingRender?
    while let frame = try follower.next(isComplete: true) {
      readings.note(frame)
      if render == nil, let header = follower.header {
        let fresh = RenderedSound()
        (sound, render) = (fresh, RollingRender(header: header, sink: fresh))
      }
      // A time that no take has ends the render with an error, and what came before it is played on.
      try? render?.handle(frame)
    }
    for perspective in [Perspective.asPlayed, .heard(by: 1), .heard(by: 2)] {
      _ = try? perspective.shifts(of: [1, 2], by: readings)
    }
    let length = try #require(try render?.finish())
    #expect(SamplePosition.permitted.contains(length.samples))
    let isFinite = try #require(sound).plane(1).allSatisfy { $0.isFinite }
    #expect(isFinite)
    for gap in render?.tracks.flatMap(\.gaps) ?? [] {
      #expect(SamplePosition.permitted.contains(gap.start.samples) && gap.length > .zero)
    }
  }
}
