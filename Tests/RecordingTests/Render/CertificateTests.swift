import Machines
import Music
import TestSupport
import Testing

@testable import Recording

/// What a track's report says of it is so.
@Suite struct CertificateTests {
  private func player(_ change: (inout VirtualPlayer) -> Void = { _ in }) -> VirtualPlayer {
    var player = VirtualPlayer()
    player.settings = OpusEncoder.Settings(channels: 1, bitrate: 64_000, complexity: 0)
    player.signal.isStereo = false
    player.signal.tempo = 8
    player.end = 9
    player.link.jitter = .uniform(0.004)
    change(&player)
    return player
  }

  // MARK: Bounds

  @Test func withoutARoundTripTheBoundIsUnknownAndNotANumber() throws {
    let rehearsal = try TakeRehearsal(
      [
        player {
          // More than the number that used to stand there.
          $0.link.delay = 0.15
          ($0.sendsReports, $0.reportsRoundTrip) = (false, false)
        }
      ], length: 9)
    let report = try #require(rehearsal.render.tracks[0].report)
    #expect(report.errorBound == nil)
    #expect(report.unknownBecause == "no round trip was measured")
    #expect(!report.stretches.isEmpty)
    #expect(report.stretches.allSatisfy { $0.errorBound == nil && $0.unknownBecause == report.unknownBecause })
  }

  @Test func theBoundIsToldOverTimeWithoutAHole() throws {
    let rehearsal = try TakeRehearsal(
      [
        player {
          $0.end = 24
          $0.events = [.reconnect(at: 10), .stall(at: 15, length: 0.5)]
        }
      ], length: 24)
    let report = try #require(rehearsal.render.tracks[0].report)
    let stretches = report.stretches
    #expect(report.errorBound == stretches.compactMap(\.errorBound).max() && report.unknownBecause == nil)
    #expect(stretches.first?.start.samples == rehearsal.render.tracks[0].firstSample)
    #expect(stretches.last?.end.samples == Int64(rehearsal.length))
    for (left, right) in zip(stretches, stretches.dropFirst()) { #expect(left.end == right.start) }
    // Each life of the stream has its own.
    #expect(stretches.count >= 3)
    for start in stride(from: 1.0, to: 23, by: 0.5) where !(14.5...15.5).contains(start) {
      let match = try #require(rehearsal.lag(from: start, to: start + 0.5))
      let stretch = stretches.first { $0.end.seconds > start }
      #expect(abs(match.lag) / 48 <= stretch?.errorBound ?? 0, "at \(start): \(match) \(stretches)")
    }
  }

  // MARK: Drops that nothing shows

  /// Whatever a microphone leaves out is a gap, or lies where the report says that it would not show.
  @Test(arguments: [20.06, 20.2, 20.35, 20.5, 21.0, 21.7, 22.4])
  func aDropIsListedOrLiesWhereItWouldNotShow(length: Double) throws {
    for seed in 1...4 as ClosedRange<UInt64> {
      var musician = FaultyMusician()
      (musician.length, musician.seed) = (length, seed)
      musician.drops = (every: 2.5, length: 0.02)
      let outcome = try musician.record()
      let unseen = try #require(outcome.report?.unseenDrops).map { $0.start.seconds...$0.end.seconds }
      let listed = outcome.gaps.map { $0.start.seconds...($0.start.seconds + $0.length.seconds) }
      // Sound begins at 0.3 s.
      for drop in stride(from: 2.8, to: length, by: 2.5) {
        let near = (drop - 0.04)...(drop + 0.02)
        let isTold = (unseen + listed).contains { $0.overlaps(near) }
        #expect(isTold, "\(drop) of \(length): \(unseen) \(listed)")
      }
      // Reports leave every second, the first half a second after the beginning.
      let whole: Double = unseen.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
      #expect(whole < 1.6, "\(unseen)")
      let isAtEdges = unseen.allSatisfy { $0.lowerBound < 1 || $0.upperBound > length - 0.01 }
      #expect(isAtEdges, "\(unseen)")
    }
  }

  @Test func withoutReportsNoDropIsSeen() throws {
    var musician = FaultyMusician()
    (musician.length, musician.reports) = (12, nil)
    let report = try #require(try musician.record().report)
    let unseen = try #require(report.unseenDrops)
    #expect(unseen.count == 1 && unseen.first?.start == report.stretches.first?.start)
    #expect(unseen.first?.end == report.stretches.last?.end)
  }

  @Test func everyLifeOfAStreamHasItsOwnEdges() throws {
    let rehearsal = try TakeRehearsal(
      [
        player {
          $0.end = 24
          $0.events = [.reconnect(at: 10)]
        }
      ], length: 24)
    let report = try #require(rehearsal.render.tracks[0].report)
    let unseen = try #require(report.unseenDrops)
    for (left, right) in zip(unseen, unseen.dropFirst()) { #expect(left.end < right.start) }
    let isWithin = unseen.allSatisfy { $0.start < $0.end && $0.end.samples <= Int64(rehearsal.length) }
    #expect(isWithin, "\(unseen)")
  }

  // MARK: Counts

  @Test(arguments: [2, 147, 30_000]) func aJumpOfTheNumbersIsNoLoss(jump: UInt16) throws {
    let whole = try TakeRehearsal([player { $0.events = [.numberJump(at: 4, by: jump)] }], length: 9)
    let packets = whole.take.frames.count { if case .rtp = $0 { true } else { false } }
    #expect(whole.render.tracks[0].gaps.isEmpty, "\(whole.render.tracks[0].gaps)")
    let report = try #require(whole.render.tracks[0].report)
    #expect((report.expectedPackets, report.lostPackets) == (packets, 0))

    let lossy = try TakeRehearsal(losing: 50..<128, of: whole)
    let counts = try #require(lossy.render.tracks[0].report)
    #expect((counts.expectedPackets, counts.lostPackets) == (packets, 78))
    #expect(lossy.render.tracks[0].gaps.map(\.cause) == [.loss])
  }

  @Test func whatCameIsNotLostThoughItCannotBeDecoded() throws {
    let take = try VirtualTake([player { $0.end = 4 }], length: 4)
    let render = RollingRender(header: take.header, options: RenderOptions(makesMix: false), sink: RenderedSound())
    var count = 0
    for frame in take.frames {
      guard case .rtp(let track, let arrival, let packet) = frame else {
        try render.handle(frame)
        continue
      }
      count += 1
      // Code 1 wants two frames of equal length: an odd number of bytes cannot be.
      let broken = Array(packet.prefix(12)) + [0xF1, 1, 2, 3, 4, 5, 6, 7, 8, 9]
      try render.handle(.rtp(track: track, arrival: arrival, packet: count == 100 ? broken : packet))
    }
    _ = try render.finish()
    #expect(render.tracks[0].gaps.map(\.cause) == [.undecodable])
    let report = try #require(render.tracks[0].report)
    #expect((report.expectedPackets, report.lostPackets) == (count, 0))
  }

  // MARK: The end

  @Test(arguments: [0.48, 0.1]) func silenceBeforeTheStopIsAGap(length: Double) throws {
    let rehearsal = try TakeRehearsal([player { $0.end = 9 - length }], length: 9, patience: 0.3)
    let gaps = rehearsal.render.tracks[0].gaps
    let gap = try #require(gaps.first)
    #expect(gaps.count == 1)
    #expect(gap.start.samples + gap.length.samples == 9 * 48_000)
    // The last packet reaches up to 20 ms beyond the player's end; the encoder keeps back 6.5 ms.
    #expect(abs(gap.length.seconds - length) < 0.03, "\(gap)")
  }

  @Test(arguments: [0.02, 0.12]) func whatWasOnItsWayAtTheStopIsNone(delay: Double) throws {
    for patience in [0, 0.3] {
      let rehearsal = try TakeRehearsal(
        [
          player {
            $0.end = 10
            $0.link.delay = delay
          }
        ], length: 9, patience: patience)
      #expect(rehearsal.render.tracks[0].gaps.isEmpty, "\(rehearsal.render.tracks[0].gaps)")
      #expect(rehearsal.render.tracks[0].report?.lostPackets == 0)
    }
  }
}
