import Recording
import TestSupport
import Testing

@Suite struct BackupAlignerTests {
  private static let length = 20.0
  private static let music = VirtualSound.music(26)
  private static let noise = VirtualSound.noise(26)
  /// Worst distance from the truth that is let pass, in samples.
  private static let tolerance = 0.1

  /// Some seconds of sound that begins before the take and goes on behind it.
  private static func rehearsal(_ sound: [[Float]] = music) -> VirtualBackup {
    VirtualBackup(sound: sound, lead: 3, length: length)
  }

  private func align(_ rehearsal: VirtualBackup, expected: Double? = nil) throws -> (BackupAlignment, error: Double) {
    let (track, backup) = (try rehearsal.track(), rehearsal.backup())
    let alignment = try BackupAligner(take: track, backup: backup, expected: expected).align()
    return (alignment, rehearsal.error(of: alignment.mapping))
  }

  @Test(arguments: [(48_000, 100.0), (44_100, -100), (96_000, 37), (16_000, -300)])
  func liesWithinASampleOnMusic(rate: Int, drift: Double) throws {
    var rehearsal = Self.rehearsal()
    (rehearsal.rate, rehearsal.drift) = (rate, drift)
    let (alignment, error) = try align(rehearsal)
    #expect(error < Self.tolerance)
    #expect(abs(alignment.offset + 1.2345) < 0.00001)
    #expect(abs(alignment.drift - drift) < 1)
    #expect(alignment.mapping.stretches.count == 1)
    #expect(alignment.mapping.covered == 960_000)
  }

  @Test(arguments: [0.0, -100]) func liesWithinASampleOnNoise(drift: Double) throws {
    var rehearsal = Self.rehearsal(Self.noise)
    rehearsal.drift = drift
    #expect(try align(rehearsal).error < Self.tolerance)
  }

  /// A recorder that learns a browser's clock from reports that wander places the track beside its line for a while. One
  /// copy in a piece follows it, and no reading of the bend counts as an error.
  @Test(arguments: [10.0, 30], [48_000, 44_100]) func aTrackThatBendsIsFollowed(swing: Double, rate: Int) throws {
    var rehearsal = Self.rehearsal()
    (rehearsal.swing.samples, rehearsal.rate, rehearsal.drift) = (swing, rate, 40)
    let (alignment, error) = try align(rehearsal)
    // 0.1 ms, before the first reading and behind the last.
    #expect(error < 5)
    #expect(alignment.mapping.stretches.count == 1 && alignment.mapping.covered == 960_000, "\(alignment.mapping)")
    // The bound is stated in milliseconds, for 95 % of the readings.
    #expect(alignment.errorBound < 0.04)
  }

  /// A bend and a loss in it.
  @Test func whatIsLostFromATrackThatBendsIsFound() throws {
    var rehearsal = Self.rehearsal()
    (rehearsal.swing.samples, rehearsal.losses) = (20, [(at: 9.2, frames: 128)])
    let (alignment, error) = try align(rehearsal)
    #expect(error < 7)
    #expect(alignment.mapping.stretches.count == 2)
  }

  @Test func findsWhereSamplesWereLost() throws {
    var rehearsal = Self.rehearsal()
    (rehearsal.losses, rehearsal.drift) = ([(at: 9.2, frames: 128)], 40)
    let (alignment, error) = try align(rehearsal)
    #expect(error < Self.tolerance)
    #expect(alignment.mapping.stretches.count == 2)
  }

  @Test func findsWhereSamplesCameTwice() throws {
    var rehearsal = Self.rehearsal()
    rehearsal.losses = [(at: 7.53, frames: -128)]
    let (alignment, error) = try align(rehearsal)
    #expect(error < Self.tolerance)
    #expect(alignment.mapping.stretches.count == 2)
  }

  /// Within the first and the last second, and where one loss follows another: no window of a second shows them.
  @Test(arguments: [[0.4], [1.2], [8.5], [9.4], [9.7], [5, 5.3], [5, 5.6, 6.4]], [157, -157, 960])
  func findsWhatIsTooShortForAWindow(losses: [Double], frames: Int) throws {
    var rehearsal = VirtualBackup(sound: VirtualSound.music(16), lead: 3, length: 10)
    rehearsal.losses = losses.map { (at: $0, frames: frames) }
    let (alignment, error) = try align(rehearsal)
    #expect(error < 0.2)
    #expect(alignment.mapping.stretches.count == losses.count + 1)
    // What was lost is not covered, and a block about it at most.
    #expect(alignment.mapping.covered > 480_000 - Int64(losses.count) * 4_096)
    #expect(alignment.errorBound < 0.01)
  }

  /// The last block but one shows it. What 960 frames leave of the take is one block, which fits elsewhere as well.
  @Test(arguments: [157, -157]) func aLossJustBeforeTheEndIsFound(frames: Int) throws {
    var rehearsal = VirtualBackup(sound: VirtualSound.music(16), lead: 3, length: 10)
    rehearsal.losses = [(at: 9.8, frames: frames)]
    let (alignment, error) = try align(rehearsal)
    #expect(error < 0.2)
    #expect(alignment.mapping.stretches.count == 2)
    #expect(alignment.mapping.covered > 480_000 - 4_096)
    #expect(alignment.errorBound < 0.01)
  }

  /// A held chord, a loss behind which it sounds on, and a voice before its first note: many delays fit, and the sound of
  /// the network stays where nothing tells which. Copies lay up to 183 ms off, and stated 0.01 ms.
  @Test(arguments: [UInt64(1), 2, 5, 8]) func whatFitsManyDelaysIsLeftToTheNetwork(seed: UInt64) throws {
    var rehearsal = VirtualBackup(sound: VirtualSound.chords(18, seed: seed), lead: 3, length: 12)
    rehearsal.losses = [(at: 10.9, frames: 960)]
    let (alignment, error) = try align(rehearsal)
    #expect(error < 5, "\(alignment.mapping)")
    #expect(alignment.mapping.covered > 480_000, "\(alignment.mapping)")
  }

  /// Its loudness does not tell where it lies; the clocks say it to a tenth of a second, and the chords tell their periods apart.
  @Test(arguments: [UInt64(12), 19, 23]) func chordsAreFoundNearWhereTheClocksSay(seed: UInt64) throws {
    let copy = VirtualBackup(.chords, seed: seed)
    let (track, backup) = (try copy.track(), copy.backup())
    #expect(throws: BackupRefusal.self) { try BackupAligner(take: track, backup: backup).align() }
    let alignment = try BackupAligner(take: track, backup: backup, expected: copy.hint).align()
    #expect(copy.error(of: alignment.mapping) < 5)
    #expect(alignment.mapping.covered > 8 * 48_000 * 9 / 10)
    // Nothing but other chords is there.
    let other = VirtualBackup(.chords, seed: seed + 1).backup()
    #expect(throws: BackupRefusal.self) { try BackupAligner(take: track, backup: other, expected: copy.hint).align() }
  }

  /// It lay 10 ms beside its place for 2 s, and stated 0.0003 ms.
  @Test func betweenTwoLossesAHeldChordIsLeftToTheNetwork() throws {
    let copy = VirtualBackup(.chords, seed: 111)
    let alignment = try BackupAligner(take: try copy.track(), backup: copy.backup(), expected: copy.hint).align()
    #expect(copy.error(of: alignment.mapping) < 5, "\(alignment.mapping)")
    #expect(alignment.mapping.covered > 8 * 48_000, "\(alignment.mapping)")
  }

  /// Where the track bends under chords, what lay before the first reading and behind the last was 0.28 and 0.41 ms off;
  /// where a note at the end hid a loss, 2.9 and 9.2 ms.
  @Test(arguments: [(VirtualBackup.Music.chords, UInt64(14)), (.chords, 79), (.strings, 29), (.heldStrings, 135)])
  func noSoundLiesBesideTheReadings(_ music: VirtualBackup.Music, _ seed: UInt64) throws {
    let copy = VirtualBackup(music, seed: seed)
    let alignment = try BackupAligner(take: try copy.track(), backup: copy.backup(), expected: copy.hint).align()
    // 0.17 ms.
    #expect(copy.error(of: alignment.mapping, every: 480) < 8, "\(alignment.mapping)")
    #expect(Double(alignment.mapping.covered) > copy.length * 48_000 * 0.7, "\(alignment.mapping)")
  }

  /// As of a musician who is muted for a while, with a browser that was busy before.
  @Test func silenceBehindALossTellsNothingAgainstWhatWasPlayed() throws {
    var sound = Self.music
    for channel in sound.indices { for index in (8 * 48_000)..<(17 * 48_000) { sound[channel][index] = 0 } }
    var rehearsal = Self.rehearsal(sound)
    rehearsal.losses = [(at: 2.5, frames: 480)]
    let (alignment, error) = try align(rehearsal)
    #expect(error < Self.tolerance)
    #expect(alignment.mapping.covered > 17 * 48_000, "\(alignment.mapping)")
  }

  /// The chord fits at several delays before its last loss: the network stays there, and the offset is a later piece's.
  @Test func theOffsetIsThatOfTheFirstPieceThatIsTaken() throws {
    let copy = VirtualBackup(.chords, seed: 75)
    let alignment = try BackupAligner(take: try copy.track(), backup: copy.backup(), expected: copy.hint).align()
    let last = try #require(copy.losses.last?.at)
    #expect(Double(alignment.mapping.stretches[0].start) > last * 48_000, "\(alignment.mapping)")
    let lost = copy.losses.reduce(0) { $0 + $1.frames }
    #expect(abs(alignment.offset - (copy.start + Double(lost) / Double(copy.rate))) < 0.001, "\(alignment)")
  }

  /// Each of its periods fits, wherever the clocks say that it begins.
  @Test func aSingleNoteHeldThroughoutIsRefused() throws {
    let note = VirtualSound.note(26, of: 196)
    #expect(throws: BackupRefusal.self) { try align(Self.rehearsal(note), expected: -1.25) }
  }

  @Test func gapsOfTheTrackAreNoObstacle() throws {
    var rehearsal = Self.rehearsal(VirtualSound.music(26, isStereo: true))
    (rehearsal.gaps, rehearsal.channels, rehearsal.start) = ([0...3.3, 9...13, 16...16.06], 2, 2.5)
    let (alignment, error) = try align(rehearsal)
    #expect(error < Self.tolerance)
    #expect(abs(alignment.offset - 2.5) < 0.00001)
    // From 2.5 s on there is a copy, but until 3.3 s nothing that shows where it lies.
    let covered = Double(960_000 - Int(3.3 * 48_000))
    #expect(abs(Double(alignment.mapping.covered) - covered) < 4_096, "\(alignment.mapping)")
  }

  @Test func oneBeatOffIsNotTheSame() throws {
    var rehearsal = Self.rehearsal(VirtualSound.loop(26))
    rehearsal.start = -0.75
    #expect(try align(rehearsal).error < Self.tolerance)
  }

  /// The codec's own filters for voice turn phases by about 4 samples (0.1 ms), whatever is aligned with it.
  @Test(arguments: [24_000, 32_000]) func voiceCodingIsEnough(bitrate: Int) throws {
    var rehearsal = Self.rehearsal()
    (rehearsal.bitrate, rehearsal.isVoice, rehearsal.level) = (bitrate, true, 0.3)
    #expect(try align(rehearsal).error < 6)
  }

  @Test func aHintHelpsWhereTheBackupBeganLongBefore() throws {
    var rehearsal = VirtualBackup(sound: VirtualSound.music(64), lead: 46, length: 12)
    rehearsal.start = -45
    #expect(throws: BackupRefusal.self) { try align(rehearsal) }
    // The clocks of two machines differ.
    let (alignment, error) = try align(rehearsal, expected: -47.5)
    #expect(error < Self.tolerance && abs(alignment.offset + 45) < 0.00001)
  }

  @Test func aCaptureThatStoodStillIsFoundAgain() throws {
    var rehearsal = Self.rehearsal()
    rehearsal.losses = [(at: 10, frames: 45_000)]
    let (alignment, error) = try align(rehearsal)
    #expect(error < Self.tolerance && alignment.mapping.stretches.count == 2)
    // What was lost is not covered, and little more.
    #expect(abs(alignment.mapping.covered - (960_000 - 45_000)) < 4_800, "\(alignment.mapping)")
  }

  @Test func otherAudioIsRefused() throws {
    let mine = Self.rehearsal()
    for other in [VirtualSound.music(26, seed: 2), Self.noise] {
      do {
        let found = try BackupAligner(take: try mine.track(), backup: Self.rehearsal(other).backup()).align()
        Issue.record("\(found)")
      } catch let refusal as BackupRefusal {
        guard case .otherAudio = refusal else {
          Issue.record("\(refusal)")
          continue
        }
      }
    }
  }

  @Test func silenceAndShortnessAreRefused() throws {
    let mine = Self.rehearsal()
    let track = try mine.track()
    let silence = SoundArray([Float](repeating: 0, count: 480_000), channels: 1, rate: 48_000)
    let short = SoundArray([Float](repeating: 0.1, count: 48_000), channels: 1, rate: 48_000)
    #expect(throws: BackupRefusal.silentBackup) { try BackupAligner(take: track, backup: silence).align() }
    #expect(throws: BackupRefusal.silentTrack) { try BackupAligner(take: silence, backup: mine.backup()).align() }
    #expect("\(BackupRefusal.tooShort(take: 20, backup: 2.97))".contains("the backup 2.9 s; both need 3.0 s"))
    #expect(throws: BackupRefusal.tooShort(take: 20, backup: 1)) {
      try BackupAligner(take: track, backup: short).align()
    }
  }
}
