import Recording
import TestSupport
import Testing

@Suite struct BackupAlignerTests {
  /// Half a minute with music that begins before the take.
  private static func rehearsal(_ sound: [[Float]], _ length: Double = 30) -> VirtualBackup {
    VirtualBackup(sound: sound, lead: 4, length: length)
  }

  private func align(_ rehearsal: VirtualBackup, expected: Double? = nil) throws -> (BackupAlignment, error: Double) {
    let clock = ContinuousClock()
    let (track, backup) = (try rehearsal.track(), rehearsal.backup())
    var alignment: BackupAlignment?
    let took = try clock.measure {
      alignment = try BackupAligner(take: track, backup: backup, expected: expected).align()
    }
    let found = try #require(alignment)
    let error = rehearsal.error(of: found.mapping)
    print(
      "error \(error) offset \(found.offset) drift \(found.drift) c \(found.correlation) bound \(found.errorBound * 48)",
      "stretches \(found.mapping.stretches.map { "\($0.start)-\($0.end) k\($0.knots.count)" }) took \(took)")
    return (found, error)
  }

  @Test(arguments: [(48_000, 0.0), (48_000, 100), (44_100, -100), (96_000, 37), (16_000, -300)])
  func liesWithinASampleOnMusic(rate: Int, drift: Double) throws {
    var rehearsal = Self.rehearsal(VirtualSound.music(40))
    (rehearsal.rate, rehearsal.drift) = (rate, drift)
    let (alignment, error) = try align(rehearsal)
    #expect(error < 0.25)
    #expect(abs(alignment.offset + 1.2345) < 0.00001)
    #expect(abs(alignment.drift - drift) < 1)
    #expect(alignment.mapping.stretches.count == 1)
    #expect(alignment.mapping.covered == 30 * 48_000)
  }

  @Test(arguments: [0.0, 100, -100]) func liesWithinASampleOnNoise(drift: Double) throws {
    var rehearsal = Self.rehearsal(VirtualSound.noise(40))
    rehearsal.drift = drift
    #expect(try align(rehearsal).error < 0.25)
  }

  @Test func findsWhereSamplesWereLost() throws {
    var rehearsal = Self.rehearsal(VirtualSound.music(40))
    (rehearsal.losses, rehearsal.drift) = ([(at: 15.2, frames: 128)], 40)
    let (alignment, error) = try align(rehearsal)
    #expect(error < 0.3)
    #expect(alignment.mapping.stretches.count == 2)
  }

  @Test func findsWhereSamplesCameTwice() throws {
    var rehearsal = Self.rehearsal(VirtualSound.music(40))
    rehearsal.losses = [(at: 12.7, frames: -128)]
    let (alignment, error) = try align(rehearsal)
    #expect(error < 0.3)
    #expect(alignment.mapping.stretches.count == 2)
  }

  @Test func gapsOfTheTrackAreNoObstacle() throws {
    var rehearsal = Self.rehearsal(VirtualSound.music(40, isStereo: true))
    (rehearsal.gaps, rehearsal.channels, rehearsal.start) = ([0...3.3, 11...16, 20...20.06], 2, 2.5)
    let (alignment, error) = try align(rehearsal)
    #expect(error < 0.25)
    #expect(abs(alignment.offset - 2.5) < 0.00001)
    #expect(alignment.mapping.covered == 30 * 48_000 - 120_000)
  }

  @Test func oneBeatOffIsNotTheSame() throws {
    var rehearsal = Self.rehearsal(VirtualSound.loop(40))
    rehearsal.start = -0.75
    #expect(try align(rehearsal).error < 0.25)
  }

  @Test(arguments: [24_000, 32_000]) func voiceCodingIsEnough(bitrate: Int) throws {
    var rehearsal = Self.rehearsal(VirtualSound.music(40))
    (rehearsal.bitrate, rehearsal.isVoice, rehearsal.level) = (bitrate, true, 0.3)
    #expect(try align(rehearsal).error < 1)
  }

  @Test func otherAudioIsRefused() throws {
    let mine = Self.rehearsal(VirtualSound.music(40))
    for other in [VirtualSound.music(40, seed: 2), VirtualSound.noise(40, seed: 3)] {
      do {
        let found = try BackupAligner(take: try mine.track(), backup: Self.rehearsal(other).backup()).align()
        Issue.record("\(found)")
      } catch let refusal as BackupRefusal {
        print(refusal)
      }
    }
  }

  @Test func silenceAndShortnessAreRefused() throws {
    let mine = Self.rehearsal(VirtualSound.music(20), 10)
    let track = try mine.track()
    let silence = SoundArray([Float](repeating: 0, count: 480_000), channels: 1, rate: 48_000)
    let short = SoundArray([Float](repeating: 0.1, count: 48_000), channels: 1, rate: 48_000)
    #expect(throws: BackupRefusal.silentBackup) { try BackupAligner(take: track, backup: silence).align() }
    #expect(throws: BackupRefusal.silentTrack) { try BackupAligner(take: silence, backup: mine.backup()).align() }
    #expect(throws: BackupRefusal.tooShort(take: 10, backup: 1)) {
      try BackupAligner(take: track, backup: short).align()
    }
  }
}
