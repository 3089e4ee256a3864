import Machines
import Music
import Testing

@testable import Recording

/// Where the manifest says that a backing track was heard, and that exports put it there to the sample.
@Suite struct BackingLogTests {
  private func backing(from: Int64 = 0, length: Int64 = 480_000) -> JournalBacking {
    JournalBacking(
      id: JournalSamples.id(30), title: "drums", length: length, from: from, starts: MonotonicTime(nanoseconds: 0))
  }

  private func stretches(_ log: BackingLog, until length: Int64) -> [[Int64]] {
    log.stretches(until: length).map { [$0.start.samples, $0.from.samples, $0.length.samples] }
  }

  @Test func aBackingTrackIsHeardFromItsStartToItsStopItsEndOrTheTakes() {
    var log = BackingLog()
    log.note(backing(), begins: 24_000, at: 0)
    #expect(stretches(log, until: 96_000) == [[24_000, 0, 72_000]])
    #expect(stretches(log, until: 960_000) == [[24_000, 0, 480_000]])
    log.note(nil, begins: 0, at: 48_000)
    #expect(stretches(log, until: 960_000) == [[24_000, 0, 24_000]])
    // A stop before it was heard.
    log.note(backing(), begins: 100_000, at: 96_000)
    log.note(nil, begins: 0, at: 99_000)
    #expect(stretches(log, until: 960_000) == [[24_000, 0, 24_000]])
    // Another place of it.
    log.note(backing(from: 240_000), begins: 200_000, at: 176_000)
    #expect(stretches(log, until: 220_000) == [[24_000, 0, 24_000], [200_000, 240_000, 20_000]])
  }

  @Test func whatWasHeardBeforeTheTakeBeganIsHeardFromItsMiddleOn() {
    var log = BackingLog()
    log.note(backing(from: 1_000), begins: -48_000, at: 0)
    #expect(stretches(log, until: 960_000) == [[0, 49_000, 431_000]])
    // One that was over before, and figures that are none.
    for (from, begins) in [(Int64(0), Int64(-480_000)), (480_000, 0), (0, .min), (.max, 5)] {
      var log = BackingLog()
      log.note(backing(from: from), begins: begins, at: 0)
      #expect(stretches(log, until: 960_000).allSatisfy { $0[0] >= 0 && $0[2] <= 480_000 })
    }
  }

  @Test func talksAreListedAndOpenOnesEndWithTheTrack() {
    var list = TalkList()
    list.note(isOn: true, at: 100)
    list.note(isOn: true, at: 200)
    #expect(list.spans(until: 300).map { [$0.start.samples, $0.end.samples] } == [[100, 300]])
    list.note(isOn: false, at: 250)
    list.note(isOn: false, at: 260)
    list.note(isOn: true, at: 500)
    list.note(isOn: false, at: 500)
    #expect(list.spans(until: 900).map { [$0.start.samples, $0.end.samples] } == [[100, 250]])
  }

  @Test func anExportHasItToTheSampleOnlyIfItAsks() throws {
    let frames = 96_000
    var studio = try MixStudio(
      [[Float](repeating: 0, count: frames * 2)], mix: [Float](repeating: 0, count: frames * 2))
    // One click a tenth of a second, heard from its middle on.
    let id: BackingID = JournalSamples.id(30)
    let folder = try TakeFolder.obtain(
      BackingFile.path(of: id, in: studio.take.room), in: studio.scratch.path)
    let writer = try SoundFileWriter(
      BackingFile.soundName, in: folder, as: .flac24, channels: 2, frames: Int64(frames))
    var clicks = [Float](repeating: 0, count: frames * 2)
    for place in stride(from: 0, to: frames, by: 4_800) { clicks[place * 2] = 0.5 }
    try writer.write(clicks)
    _ = try writer.finish()
    let none = #expect(throws: ExportProblem.self) {
      try BackingSource.all(of: studio.manifest, in: studio.scratch.path)
    }
    #expect(none == .noBacking)
    let stretch = BackedStretch(
      backing: id, title: "clicks", start: SamplePosition(10_000), from: SamplePosition(4_000),
      length: SamplePosition(12_000))
    studio.manifest.backings = [stretch]

    func places(_ backings: [BackingSource]) throws -> [Int] {
      let mix = MixDown(of: studio.folder, manifest: studio.manifest, backings: backings)
      let name = "export-\(backings.count).wav"
      _ = try mix.write(name, in: studio.folder, format: .wav32f, title: "a test")
      let reader = try SoundFileReader(name, in: studio.folder)
      let samples = try reader.read(frames: Int(reader.frameCount))
      return (0..<samples.count / 2).filter { abs(samples[$0 * 2]) > 0.1 }
    }
    let without = try places([])
    #expect(without.isEmpty)
    let with = try places(try BackingSource.all(of: studio.manifest, in: studio.scratch.path))
    // 4,800 of the file lies at 10,800 of the take; beyond 22,000 it was stopped.
    #expect(with == [10_800, 15_600, 20_400])
    // Whoever goes back to one place all evening makes thousands.
    let often: [Int64] = (0..<2_900).map { $0 * 32 }
    studio.manifest.backings = often.map { start in
      BackedStretch(
        backing: id, title: "clicks", start: SamplePosition(start), from: SamplePosition(4_800),
        length: SamplePosition(16))
    }
    let many = try places(try BackingSource.all(of: studio.manifest, in: studio.scratch.path))
    #expect(many == often.map { Int($0) })
    // One that was heard before the take began, or ends after it, makes the mix neither longer nor later.
    studio.manifest.backings = [
      BackedStretch(
        backing: id, title: "clicks", start: .zero, from: SamplePosition(4_000), length: SamplePosition(92_000))
    ]
    let mix = MixDown(
      of: studio.folder, manifest: studio.manifest,
      backings: try BackingSource.all(of: studio.manifest, in: studio.scratch.path))
    let whole = try mix.write("whole.wav", in: studio.folder, format: .wav32f, title: "a test")
    #expect(whole.start == .zero && whole.length == SamplePosition(Int64(frames)))

    try TakeFolder.delete(folder.path, in: studio.scratch.path)
    let gone = #expect(throws: ExportProblem.self) {
      try BackingSource.all(of: studio.manifest, in: studio.scratch.path)
    }
    #expect(gone == .backingMissing(title: "clicks"))
  }

  @Test(arguments: [44_100, 48_000, 96_000]) func aFileOfAnyRateIsDecodedToItsLength(rate: Int) throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.obtain("_backings/den/one", in: scratch.path)
    let writer = try SoundFileWriter(
      BackingFile.uploadName, in: folder, as: .wav32f, channels: 1, rate: rate, frames: Int64(rate))
    // Beyond full scale, as MP3 may be.
    try writer.write((0..<rate).map { $0 == rate / 2 ? 1.5 : 0 })
    _ = try writer.finish()
    let made = try BackingMaker(in: folder).make {}
    #expect(made.length == 48_000)
    #expect(folder.has(BackingFile.soundName) && !folder.has(BackingFile.uploadName))
    let reader = try SoundFileReader(BackingFile.soundName, in: folder)
    let samples = try reader.read(frames: Int(reader.frameCount))
    let loudest = try #require((0..<samples.count / 2).max { abs(samples[$0 * 2]) < abs(samples[$1 * 2]) })
    #expect(loudest == 24_000)
    #expect(samples.allSatisfy { abs($0) <= 1 } && samples[loudest * 2] == samples[loudest * 2 + 1])
  }

  @Test func whatIsNoSoundIsRefusedWithAReason() throws {
    let scratch = try ScratchFolder()
    func refusal(_ bytes: [UInt8], _ name: String) throws -> BackingRefusal? {
      let folder = try TakeFolder.obtain("_backings/den/\(name)", in: scratch.path)
      try BackingUpload(in: folder).append(bytes)
      return #expect(throws: BackingRefusal.self) { try BackingMaker(in: folder).make {} }
    }
    let text = try refusal(Array("this is no sound".utf8), "text")
    #expect(text?.description.contains("WAV") == true)
    _ = try refusal([], "empty")
    // A minute too long, of which only the head is there.
    let folder = try TakeFolder.obtain("_backings/den/long", in: scratch.path)
    let writer = try SoundFileWriter(
      BackingFile.uploadName, in: folder, as: .flac16, channels: 1, rate: 8_000, frames: 0)
    let second = [Float](repeating: 0, count: 8_000)
    for _ in 0...BackingMaker.longest { try writer.write(second) }
    _ = try writer.finish()
    let long = #expect(throws: BackingRefusal.self) { try BackingMaker(in: folder).make {} }
    #expect(long == .tooLong(seconds: Int64(BackingMaker.longest) + 1))
  }
}
