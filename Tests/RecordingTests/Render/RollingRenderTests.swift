import Music
import TestSupport
import Testing

@testable import Recording

@Suite struct RollingRenderTests {
  /// One millisecond, the promise for tracks of one take.
  private let promised = 48.0

  private func player(_ change: (inout VirtualPlayer) -> Void = { _ in }) -> VirtualPlayer {
    var player = VirtualPlayer()
    player.settings = OpusEncoder.Settings(channels: 1, bitrate: 64_000, complexity: 0)
    player.signal.isStereo = false
    player.end = 3
    change(&player)
    return player
  }

  @Test func aTrackLiesWhereItWasPlayed() throws {
    let rehearsal = try TakeRehearsal([player()], length: 3)
    #expect(rehearsal.length == 3 * 48_000)
    #expect(rehearsal.sound.plane(1).count == rehearsal.length)
    let match = try #require(rehearsal.lag(from: 1, to: 1.5))
    #expect(abs(match.lag) < 3, "\(match)")
    #expect(match.coefficient > 0.95)
    #expect(rehearsal.render.tracks[0].gaps.isEmpty)
  }

  @Test func threePlayersWithOddClocksStayTogether() throws {
    let drifts = [100.0, -100, 0]
    let players = drifts.enumerated().map { index, drift in
      player {
        $0.name = "p\(index)"
        $0.drift = drift
        $0.start = 0.1 + 0.3 * Double(index)
        $0.link = VirtualLink(delay: 0.01 + 0.02 * Double(index), jitter: .uniform(0.002), seed: UInt64(index))
        $0.end = 7
      }
    }
    let rehearsal = try TakeRehearsal(players, length: 7)
    let lags = try (1...3).map { try #require(rehearsal.lag($0, from: 6, to: 6.5)).lag }
    let spread = (lags.max() ?? 0) - (lags.min() ?? 0)
    #expect(spread < promised, "\(lags)")
    #expect(lags.allSatisfy { abs($0) < 2 * promised }, "\(lags)")
    // All tracks are equally long, whoever came when.
    #expect(Set((1...3).map { rehearsal.sound.plane($0).count }) == [rehearsal.length])
  }

  @Test func whatWasLostAndSentAgainLeavesNoGap() throws {
    let rehearsal = try TakeRehearsal(
      [
        player { $0.link = VirtualLink(delay: 0.03, jitter: .exponential(0.005), loss: 0.2, duplication: 0.1, seed: 3) }
      ],
      length: 3, patience: 0.4)
    let track = rehearsal.render.tracks[0]
    let report = try #require(track.report)
    #expect(track.gaps.isEmpty)
    #expect(report.lostPackets == 0)
    #expect(report.recoveredPackets > 15)
    #expect(track.statistics.duplicatePackets > 5)
    let match = try #require(rehearsal.lag(from: 2, to: 2.5))
    #expect(match.coefficient > 0.95)
  }

  @Test func whatNeverCameIsListedWithItsPlace() throws {
    // Six packets in a row, 120 ms from 1.1 s: 60 ms are concealed, the rest is silence.
    let rehearsal = try TakeRehearsal([player { $0.signal.tempo = 8 }], length: 3)
    let lossy = try TakeRehearsal(losing: 50..<56, of: rehearsal)
    let gap = try #require(lossy.render.tracks[0].gaps.first)
    #expect(lossy.render.tracks[0].gaps.count == 1)
    #expect(gap.cause == .loss)
    #expect(!gap.isConcealed)
    #expect(abs(gap.length.samples - 6 * 960) <= 1)
    // Packet 50 begins 1 s after the first, which begins at 0.1 s; the decoder lags by the look-ahead.
    #expect(abs(gap.start.samples - (52_800 - 312)) < 96, "\(gap.start)")
    let plane = lossy.sound.plane(1)
    let silent = plane[(Int(gap.start.samples) + 2_880 + 24)..<(Int(gap.start.samples + gap.length.samples) - 24)]
    #expect(silent.allSatisfy { abs($0) < 1e-4 })
    #expect(lossy.render.tracks[0].report?.lostPackets == 6)
    // Behind the gap everything is where it was.
    let match = try #require(lossy.lag(from: 2, to: 2.5))
    #expect(match.coefficient > 0.95)
  }

  @Test func aShortGapIsConcealed() throws {
    let lossy = try TakeRehearsal(losing: 50..<52, of: try TakeRehearsal([player()], length: 3))
    let gap = try #require(lossy.render.tracks[0].gaps.first)
    #expect(gap.isConcealed)
    #expect(abs(gap.length.samples - 1_920) <= 1)
    #expect(lossy.render.tracks[0].report?.concealedSamples == 1_920)
  }

  @Test func sequenceNumbersAndTimestampsWrap() throws {
    let rehearsal = try TakeRehearsal(
      [
        player {
          $0.firstSequence = 65_500
          $0.firstTimestamp = UInt32.max - 40_000
          $0.link = VirtualLink(delay: 0.02, jitter: .uniform(0.03), loss: 0.1, seed: 5)
        }
      ], length: 3)
    let track = rehearsal.render.tracks[0]
    #expect(track.gaps.isEmpty)
    #expect(track.report?.lostPackets == 0)
    let match = try #require(rehearsal.lag(from: 2, to: 2.5))
    #expect(abs(match.lag) < 480)
  }

  @Test(arguments: [120, 240, 480, 1_920, 2_880])
  func packetsOfAnyLengthLieEqually(length: Int) throws {
    let rehearsal = try TakeRehearsal(
      [
        player {
          $0.packet = length
          $0.end = 2
        }
      ], length: 2)
    let match = try #require(rehearsal.lag(from: 1, to: 1.5))
    #expect(abs(match.lag) < 3, "\(match)")
    #expect(rehearsal.render.tracks[0].gaps.isEmpty)
  }

  @Test func stereoStaysStereo() throws {
    let rehearsal = try TakeRehearsal(
      [
        player {
          $0.settings = OpusEncoder.Settings(channels: 2, bitrate: 128_000, complexity: 0)
          $0.signal.isStereo = true
          $0.end = 2
        }
      ], length: 2)
    #expect(rehearsal.sound.channels[1] == 2)
    let (left, right) = (rehearsal.lag(from: 1, to: 1.5, channel: 0), rehearsal.lag(from: 1, to: 1.5, channel: 1))
    let crossed = rehearsal.lag(from: 1, to: 1.5, channel: 1, recorded: 0)
    #expect(left?.coefficient ?? 0 > 0.95)
    #expect(right?.coefficient ?? 0 > 0.95)
    #expect(crossed?.coefficient ?? 0 < 0.9)
  }

  @Test func redundancyFillsSingleLosses() throws {
    let whole = try TakeRehearsal([player { $0.sendsRedundancy = true }], length: 3)
    let lossy = try TakeRehearsal(losing: 50..<51, of: whole)
    #expect(lossy.render.tracks[0].gaps.isEmpty)
    #expect(lossy.render.tracks[0].report?.recoveredPackets == 1)
    // The same packet by another way gives the same samples.
    let isSame = lossy.sound.plane(1) == whole.sound.plane(1)
    #expect(isSame)
  }

  @Test func forwardErrorCorrectionFillsTheFrameBeforeAPacket() throws {
    let whole = try TakeRehearsal(
      [player { $0.settings = .init(channels: 1, bitrate: 24_000, complexity: 0, isVoice: true, expectedLoss: 30) }],
      length: 3)
    let lossy = try TakeRehearsal(losing: 50..<51, of: whole)
    #expect(lossy.render.tracks[0].gaps.isEmpty)
    #expect(lossy.render.tracks[0].report?.recoveredPackets == 1)
    #expect(lossy.render.tracks[0].report?.lostPackets == 0)
  }

  @Test func announcedSilenceIsNoGap() throws {
    let rehearsal = try TakeRehearsal(
      [
        player {
          $0.settings = .init(channels: 1, bitrate: 24_000, complexity: 0, isVoice: true, isDiscontinuous: true)
          $0.signal.tempo = 0.5
          $0.end = 4
        }
      ], length: 4)
    let sent = rehearsal.take.frames.count { if case .rtp = $0 { true } else { false } }
    #expect(sent < 150, "the encoder sent \(sent) of 195 packets")
    #expect(rehearsal.render.tracks[0].gaps.isEmpty)
    #expect(rehearsal.length == 4 * 48_000)
  }

  @Test func aRollingRenderAndALaterOneAreBitIdentical() throws {
    let player = player { $0.link = VirtualLink(delay: 0.02, jitter: .exponential(0.01), loss: 0.1, seed: 9) }
    let rehearsal = try TakeRehearsal([player], length: 3, options: RenderOptions())
    // Another time the journal is read in other pieces: only the frames count.
    var reader = JournalReader()
    let again = RenderedSound()
    var render: RollingRender?
    let journal = rehearsal.take.journal
    var random = SeededRandom(1)
    var offset = 0
    while offset < journal.count {
      let end = min(journal.count, offset + Int.random(in: 1...5_000, using: &random))
      reader.feed(Array(journal[offset..<end]))
      offset = end
      while let frame = try reader.next() {
        if render == nil { render = RollingRender(header: rehearsal.take.header, sink: again) }
        try render?.handle(frame)
      }
    }
    _ = try render?.finish()
    let (isSameTrack, isSameMix) = (again.tracks[1] == rehearsal.sound.tracks[1], again.mix == rehearsal.sound.mix)
    #expect(isSameTrack && isSameMix)
    #expect(again.mix.count == rehearsal.length * 2)
  }

  @Test func aHostilePacketTrapsNothing() throws {
    let rehearsal = try TakeRehearsal([player()], length: 3)
    var random = SeededRandom(77)
    var frames: [JournalFrame] = []
    for frame in rehearsal.take.frames {
      frames.append(frame)
      guard case .rtp(let track, let arrival, var packet) = frame else { continue }
      switch UInt8.random(in: 0..<6, using: &random) {
      case 0:
        packet = (0..<Int.random(in: 0..<80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      case 1: packet[Int.random(in: 0..<packet.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      case 2: packet.removeLast(Int.random(in: 0..<packet.count, using: &random))
      default: continue
      }
      frames.append(.rtp(track: track, arrival: arrival, packet: packet))
      frames.append(.rtcp(track: track, arrival: arrival, packet: packet))
    }
    let sound = RenderedSound()
    let render = RollingRender(header: rehearsal.take.header, sink: sound)
    for frame in frames { try render.handle(frame) }
    let length = try render.finish()
    #expect(length.samples == 3 * 48_000)
    #expect(sound.plane(1).allSatisfy { $0.isFinite })
  }
}
