import Machines
import Music
import TestSupport
import Testing

@testable import Recording

/// What happens to musicians while they record, each once through encoder, network, journal and render.
@Suite struct SituationTests {
  private func player(_ change: (inout VirtualPlayer) -> Void = { _ in }) -> VirtualPlayer {
    var player = VirtualPlayer()
    player.settings = OpusEncoder.Settings(channels: 1, bitrate: 64_000, complexity: 0)
    player.signal.isStereo = false
    player.signal.tempo = 8
    player.end = 9
    change(&player)
    return player
  }

  /// The track lies within `samples` of what was played in the half second from `start`.
  private func expectInPlace(
    _ rehearsal: TakeRehearsal, at start: Double, within samples: Double = 48,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let match = try #require(rehearsal.lag(from: start, to: start + 0.5), sourceLocation: location)
    #expect(abs(match.lag) < samples && match.coefficient > 0.9, "\(match)", sourceLocation: location)
  }

  @Test func anotherSoundCardGoesOnInPlace() throws {
    // Half a second without a microphone, in which the RTP clock stands still; then a card that runs 180 ppm slower.
    let rehearsal = try TakeRehearsal(
      [
        player {
          $0.drift = 90
          $0.end = 30
          $0.events = [.stall(at: 12, length: 0.5), .device(at: 12, drift: -90)]
          $0.link.jitter = .uniform(0.002)
        }
      ], length: 30)
    try expectInPlace(rehearsal, at: 10)
    try expectInPlace(rehearsal, at: 28, within: 96)
    let gaps = rehearsal.render.tracks[0].gaps
    #expect(gaps.map(\.cause) == [.captureStall])
    #expect(abs((gaps.first?.length.seconds ?? 0) - 0.5) < 0.05, "\(gaps)")
  }

  @Test func anotherSourceWithoutAPauseGoesOn() throws {
    let rehearsal = try TakeRehearsal([player { $0.events = [.reconnect(at: 4)] }], length: 9)
    try expectInPlace(rehearsal, at: 3)
    try expectInPlace(rehearsal, at: 7)
    // What the new encoder has not heard is the only thing that may be missing.
    let missing = rehearsal.render.tracks[0].gaps.reduce(0) { $0 + $1.length.samples }
    #expect(missing <= 960, "\(rehearsal.render.tracks[0].gaps)")
  }

  /// The decoder goes on with the encoder, and does not have to run in again.
  @Test func behindAJumpOfTheTimesThereIsWholeSoundAtOnce() throws {
    let ada = player {
      $0.events = [.timeJump(at: 4, by: 123_456_789)]
      ($0.sendsReports, $0.reportsRoundTrip) = (false, false)
    }
    let rehearsal = try TakeRehearsal([ada], length: 9)
    func likeness(_ start: Double) throws -> Double {
      try #require(rehearsal.lag(from: start, to: start + 0.06)).coefficient
    }
    let usual = try [2.5, 3, 3.5, 6].map(likeness).min() ?? 0
    #expect(try likeness(4.01) > usual - 0.02, "\(usual)")
    // Without reports the way through the network is unknown, and taken for 0.
    try expectInPlace(rehearsal, at: 7, within: ada.link.delay * 48_000 + 48)
  }

  @Test(arguments: [480, 1_920, 2_880]) func packetsThatChangeTheirLengthStayInPlace(samples: Int) throws {
    let rehearsal = try TakeRehearsal(
      [player { $0.events = [.packetLength(at: 3, samples: samples), .packetLength(at: 6, samples: 960)] }], length: 9)
    for start in [2, 4.5, 8] { try expectInPlace(rehearsal, at: start, within: 3) }
    #expect(rehearsal.render.tracks[0].gaps.isEmpty)
    #expect(rehearsal.render.tracks[0].report?.lostPackets == 0)
  }

  @Test(arguments: [1, 2]) func aTrackKeepsItsChannelsWhenTheSenderChangesThem(first: Int) throws {
    let other = 3 - first
    let rehearsal = try TakeRehearsal(
      [
        player {
          $0.settings.channels = first
          $0.settings.bitrate = 96_000
          $0.events = [.channels(at: 3, count: other), .channels(at: 6, count: first)]
        }
      ], length: 9)
    #expect(rehearsal.sound.channels[1] == first)
    for start in [2, 4.5, 8] { try expectInPlace(rehearsal, at: start, within: 3) }
    #expect(rehearsal.render.tracks[0].gaps.isEmpty)
  }

  @Test func aMuteIsSilenceAndNoGap() throws {
    let rehearsal = try TakeRehearsal([player { $0.events = [.mute(at: 3, length: 2)] }], length: 9)
    #expect(rehearsal.render.tracks[0].gaps.isEmpty)
    #expect(rehearsal.sound.plane(1)[(3_300 * 48)..<(4_800 * 48)].allSatisfy { abs($0) < 1e-3 })
    try expectInPlace(rehearsal, at: 6, within: 3)
  }

  @Test func aMuteOfAnEncoderThatStopsSendingIsNoGap() throws {
    let rehearsal = try TakeRehearsal(
      [
        player {
          $0.settings = .init(channels: 1, bitrate: 32_000, complexity: 0, isVoice: true, isDiscontinuous: true)
          $0.events = [.mute(at: 3, length: 3)]
        }
      ], length: 9)
    #expect(rehearsal.render.tracks[0].gaps.isEmpty)
    let match = try #require(rehearsal.lag(from: 7, to: 8))
    #expect(abs(match.lag) < 48, "\(match)")
  }

  @Test func aStepOfOurOwnWallClockMovesNothing() throws {
    let take = try VirtualTake([player { $0.end = 6 }], length: 6)
    func render(_ extra: [JournalFrame]) throws -> (sound: [Float]?, notes: [String]) {
      let sound = RenderedSound()
      let render = RollingRender(header: take.header, options: RenderOptions(makesMix: false), sink: sound)
      for frame in take.frames {
        try render.handle(frame)
        if case .rtp(_, let time, _) = frame {
          for case .wallClock(let at, let wall) in extra where at == time {
            try render.handle(.wallClock(at: at, wall))
          }
        }
      }
      _ = try render.finish()
      #expect(render.notes.isEmpty, "a step of the clock makes no take incomplete")
      return (sound.tracks[1], render.clockNotes)
    }
    let times = take.frames.compactMap { if case .rtp(_, let time, _) = $0 { time } else { nil } }
    // A day ahead in the middle of the take, and years back a second later.
    let jumps: [JournalFrame] = [
      .wallClock(at: times[50], WallTime(milliseconds: 1_795_000_001_000)),
      .wallClock(at: times[100], WallTime(milliseconds: 1_795_086_402_000)),
      .wallClock(at: times[150], WallTime(milliseconds: 100_000_000_000)),
    ]
    let (plain, jumping) = (try render([]), try render(jumps))
    #expect(plain.sound?.count == 6 * 48_000 && plain.notes.isEmpty)
    let isSame = plain.sound == jumping.sound
    #expect(isSame)
    // And both steps are told.
    #expect(jumping.notes.count == 2)
    #expect(jumping.notes.first?.contains("set forward by 8640") == true)
    #expect(jumping.notes.last?.contains("set back by") == true)
  }

  @Test(arguments: [false, true]) func hoursInTheSendersClockMoveNothing(capturesTimes: Bool) throws {
    let rehearsal = try TakeRehearsal(
      [
        player {
          $0.end = 24
          $0.sendsCaptureTime = capturesTimes
          $0.answersWithReports = capturesTimes
          $0.network = VirtualNetwork(there: VirtualPath(delay: 0.02, jitter: .uniform(0.002)))
          $0.events = [.clockJump(at: 9, by: 3 * 3_600), .clockJump(at: 16, by: -5 * 3_600)]
        }
      ], length: 24)
    for start in [8, 12, 15.0, 22] { try expectInPlace(rehearsal, at: start, within: 72) }
    #expect(rehearsal.render.tracks[0].gaps.isEmpty, "\(rehearsal.render.tracks[0].gaps)")
  }

  @Test(arguments: [1_000.0, -1_000, 3_000]) func aClockThatIsFarOffIsAdmitted(drift: Double) throws {
    let rehearsal = try TakeRehearsal(
      [
        player {
          $0.drift = drift
          $0.end = 24
          $0.link = VirtualLink(delay: 0.005, jitter: .uniform(0.002))
        }
      ], length: 24)
    let report = try #require(rehearsal.render.tracks[0].report)
    let bound = try #require(report.errorBound)
    // So much drift blurs half a second of music beyond recognition: then a tenth of one.
    let length = abs(drift) > 1_000 ? 0.1 : 0.5
    var matches = 0
    for start in stride(from: 5.0, to: 23, by: 2) {
      let match = try #require(rehearsal.lag(from: start, to: start + length))
      guard match.coefficient > 0.8 else { continue }
      matches += 1
      #expect(abs(match.lag) / 48 <= bound, "at \(start) s: \(match), \(report)")
    }
    #expect(matches >= 3, "\(matches) with a bound of \(bound) ms")
    if abs(drift) <= 1_000 { #expect(abs(report.drift - drift) < 20, "\(report.drift)") }
  }
}
