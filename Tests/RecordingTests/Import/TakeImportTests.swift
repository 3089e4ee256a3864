import Foundation
import Music
import TestSupport
import Testing

@testable import Recording

/// Takes of real files, which libsndfile and ffmpeg wrote.
@Suite struct TakeImportTests {
  private let scratch: ScratchFolder
  private let out: TakeFolder
  private let noon = WallTime(milliseconds: 1_795_262_400_000)

  init() throws {
    scratch = try ScratchFolder()
    out = try TakeFolder.obtain("out", in: scratch.path)
  }

  /// Writes interleaved samples; with a stamp as broadcast WAV that begins so many seconds after noon.
  private func write(
    _ samples: [Float], _ name: String, in folder: String = "in", format: SoundFileFormat = .wav24, channels: Int = 1,
    rate: Int = 48_000, at seconds: Double? = nil
  ) throws {
    let code = seconds == nil ? format.code : ExportFormat.bwf24.code(frames: 1, channels: channels)
    var shape = SoundFileShape(code: code, channels: channels, rate: rate)
    if let seconds {
      shape.stamp = BroadcastStamp(
        zero: noon, start: try #require(SamplePosition(seconds: seconds)), rate: rate, originator: "test", text: "")
    }
    let writer = try SoundFileWriter(name, in: TakeFolder.obtain(folder, in: scratch.path), shape: shape)
    try writer.write(samples)
    _ = try writer.finish()
  }

  private func noise(_ seed: UInt64, _ frames: Int) -> [Float] {
    var random = SeededRandom(seed)
    return (0..<frames).map { _ in Float(random.unit() - 0.5) * 0.5 }
  }

  private func plan(_ names: [String] = ["in"], ignoresTimes: Bool = false) throws -> ImportPlan {
    let plans = try ImportPlanner(ignoresTimes: ignoresTimes).plans(for: names.map { "\(scratch.path)/\($0)" })
    #expect(plans.count == 1)
    return try #require(plans.first)
  }

  private func make(_ plan: ImportPlan, aligns: Bool = false) throws -> Manifest {
    let take = Take(
      id: TakeID(at: noon), number: 1, state: .ready, room: try RoomName(checking: "Cellar"),
      session: SessionID(at: noon), startedAt: plan.startedAt, folder: "out")
    let people = plan.lanes.map { Participant(id: ParticipantID(at: noon), name: $0.name) }
    let manifest = try TakeImport(plan, in: out, software: "test").make(
      take, people: people, files: try plan.sources.map(ImportedFile.init), aligns: aligns, progress: { _ in })
    try manifest.write(in: out)
    return manifest
  }

  /// Mono of a track.
  private func sound(_ manifest: Manifest, _ track: Int) throws -> [Float] {
    let reader = try SoundFileReader(try #require(manifest.tracks[track].file), in: out)
    #expect(reader.rate == 48_000 && reader.frameCount == manifest.take.length?.samples)
    let samples = try reader.read(frames: Int(reader.frameCount))
    return stride(from: 0, to: samples.count, by: reader.channels).map { samples[$0] }
  }

  private func difference(_ a: some Sequence<Float>, _ b: some Sequence<Float>) -> Float {
    zip(a, b).map { abs($0 - $1) }.max() ?? .infinity
  }

  @Test func aFolderIsATakeWhoseFilesLieAsTheirTimesTell() throws {
    let (ada, bob) = (noise(1, 96_000), noise(2, 48_000))
    try write(ada, "01 - Ada.wav", at: 10)
    try write(bob, "02_Bob Bass.wav", at: 10.5)
    try Data("words".utf8).write(to: URL(fileURLWithPath: "\(scratch.path)/in/notes.txt"))
    let manifest = try make(try plan())
    #expect(manifest.tracks.map(\.participant.name.description) == ["Ada", "Bob Bass"])
    #expect(manifest.take.length == SamplePosition(96_000) && manifest.take.state == .ready)
    #expect(manifest.notes.contains("left out: notes.txt"))
    let (first, second) = (try sound(manifest, 0), try sound(manifest, 1))
    // One step of 24 bits.
    #expect(difference(first, ada) < 1e-6)
    #expect(difference(second, [Float](repeating: 0, count: 24_000) + bob) < 1e-6)
    let report = try #require(manifest.tracks[1].alignment)
    #expect(report.offset == 0.5 && report.errorBound == nil && report.basis == "BWF time reference")
    #expect(report.unknownBecause?.contains("imported") == true)
    #expect(Set(manifest.files.map(\.role)) == [.track, .mix, .peaks] && manifest.files.count == 6)
    #expect(manifest.mixLoudness != nil && manifest.tracks.allSatisfy { $0.loudness != nil && $0.peak != nil })
    // Readers of manifests see a take like any other.
    let read = try Manifest(of: out)
    #expect(read == manifest && read.imported?.count == 2)
  }

  @Test func filesWithoutTimesBeginAtZeroAndTimesCanBeDisregarded() throws {
    try write(noise(1, 4_800), "a.flac", format: .flac24)
    try write(noise(2, 4_800), "b.wav", at: 3)
    #expect(try plan().lanes.flatMap(\.pieces).map(\.position) == [0, 0])
    try write(noise(3, 4_800), "c.wav", at: 4)
    let timed = try plan()
    #expect(timed.lanes.flatMap(\.pieces).map(\.position) == [0, 0, 48_000])
    #expect(timed.lanes.map(\.basis) == ["the start of the file", "BWF time reference", "BWF time reference"])
    #expect(try plan(ignoresTimes: true).lanes.flatMap(\.pieces).map(\.position) == [0, 0, 0])
    try write(noise(4, 4_800), "d.wav", at: 8 * 3_600)
    #expect(throws: ImportProblem.self) { try plan() }
  }

  @Test func anotherRateIsResampledAndManyChannelsAreManyTracks() throws {
    let frames = 44_100
    let tone = (0..<frames).map { 0.5 * Float(sin(2 * Double.pi * 1_000 * Double($0) / 44_100)) }
    try write(tone, "a tone.wav", rate: 44_100)
    let four = (0..<4_800 * 4).map { Float($0 % 4) * 0.1 }
    try write(four, "field.wav", channels: 4)
    let manifest = try make(try plan(["in/a tone.wav", "in/field.wav"]))
    #expect(manifest.tracks.map(\.participant.name.description) == ["a tone"] + (1...4).map { "field \($0)" })
    #expect(manifest.take.length == SamplePosition(48_000))
    let expected = (0..<48_000).map { 0.5 * Float(sin(2 * Double.pi * 1_000 * Double($0) / 48_000)) }
    let made = try sound(manifest, 0)
    #expect(difference(made[200..<47_800], expected[200..<47_800]) < 1e-4)
    for channel in 0..<4 {
      #expect(abs(try sound(manifest, channel + 1)[100] - Float(channel) * 0.1) < 1e-6)
    }
  }

  @Test(arguments: ["ogg", "mp3", "aiff"]) func readsWhatFFmpegWrites(ending: String) throws {
    try write(Tone.stereo(440, frames: 48_000), "a.wav", channels: 2)
    _ = try OutsideReader.run(
      "ffmpeg", ["-v", "error", "-i", "\(scratch.path)/in/a.wav", "\(scratch.path)/in/b.\(ending)"])
    let manifest = try make(try plan(["in/b.\(ending)"]))
    let samples = try sound(manifest, 0)
    // Encoders begin with some silence, and round the end up to a packet.
    #expect((40_000...60_000).contains(samples.count))
    #expect(abs(Tone.amplitude(440, in: Array(samples[8_000..<40_000])) - 0.25) < 0.02)
  }

  @Test func correlationMovesATrackByWhatBothHeard() throws {
    let music = noise(7, 240_000)
    let bleed = zip(music, noise(8, 240_000)).map { $0 * 0.3 + $1 * 0.2 }
    try write(music, "a.wav")
    // The second device began a quarter of a second later: everything in it is earlier.
    try write(Array(bleed.dropFirst(12_000)), "b.wav")
    try write(noise(9, 200_000), "c.wav")
    let manifest = try make(try plan(), aligns: true)
    let offsets = manifest.tracks.map { $0.alignment?.offset }
    #expect(offsets == [0, 0.25, 0])
    #expect(manifest.tracks[1].alignment?.basis.hasPrefix("correlation 0.8") == true)
    #expect(manifest.notes.contains { $0.hasPrefix("c could not be aligned with a") })
    let second = try sound(manifest, 1)
    #expect(difference(second[12_000...], bleed.dropFirst(12_000)) < 1e-6)
  }

  @Test func aTrackThatBeganFirstMovesTheZero() throws {
    let music = noise(7, 240_000)
    try write(Array(music.dropFirst(4_800)), "a.wav")
    try write(Array(music.prefix(200_000)), "b.wav")
    let manifest = try make(try plan(), aligns: true)
    #expect(manifest.tracks.map { $0.alignment?.offset } == [0.1, 0])
    #expect(difference(try sound(manifest, 0)[4_800...], music.dropFirst(4_800)) < 1e-6)
  }

  @Test func aReaperProjectTellsPlacesAndParts() throws {
    let (ada, bob) = (noise(1, 96_000), noise(2, 96_000))
    try write(ada, "ada it's.wav", in: "in/Media")
    try write(bob, "bob.flac", format: .flac24)
    let project = """
      <REAPER_PROJECT 0.1 "7.0/linux" 1700000000
        TEMPO 120 4 4
        <TRACK {0}
          NAME "Ada's mic"
          VOLPAN 0.5 0 -1 -1 1
          <ITEM
            POSITION 0.25
            LENGTH 1
            SOFFS 0.5
            MUTE 0 0
            <SOURCE WAVE
              FILE "Media\\ada it's.wav"
            >
          >
          <ITEM
            POSITION 1.5
            LENGTH 0.5
            <SOURCE WAVE
              FILE "Media/ada it's.wav"
            >
          >
        >
        <TRACK
          NAME bob
          <ITEM
            POSITION 0
            LENGTH 99
            <SOURCE FLAC
              FILE bob.flac
            >
          >
          <ITEM
            POSITION 5
            LENGTH 1
            MUTE 1 0
            <SOURCE WAVE
              FILE "absent.wav"
            >
          >
        >
        <TRACK
          NAME empty
        >
      >
      """
    try Data(project.replacing("\n", with: "\r\n").utf8).write(to: URL(fileURLWithPath: "\(scratch.path)/in/p.rpp"))
    let plan = try plan(["in/p.rpp"])
    #expect(plan.sources.count == 2)
    let manifest = try make(plan)
    #expect(manifest.tracks.map(\.participant.name.description) == ["Ada's mic", "bob"])
    #expect(manifest.take.length == SamplePosition(96_000))
    let silence = { (count: Int) in [Float](repeating: 0, count: count) }
    let expected = silence(12_000) + Array(ada[24_000..<72_000]) + silence(12_000) + Array(ada[..<24_000])
    #expect(difference(try sound(manifest, 0), expected) < 1e-6)
    #expect(difference(try sound(manifest, 1), bob) < 1e-6)
  }

  @Test func ofAFileWithManyChannelsAProjectUsesTheFirstTwo() throws {
    try write((0..<4_800 * 4).map { Float($0 % 4 + 1) * 0.1 }, "field.wav", channels: 4)
    let project = "<TRACK\nNAME field\n<ITEM\nPOSITION 0\nLENGTH 1\n<SOURCE WAVE\nFILE field.wav\n>\n>\n>"
    try Data(project.utf8).write(to: URL(fileURLWithPath: "\(scratch.path)/in/p.rpp"))
    let manifest = try make(try plan(["in/p.rpp"]))
    #expect(manifest.tracks.map(\.channels) == [2])
    let samples = try SoundFileReader(try #require(manifest.tracks[0].file), in: out).read(frames: 100)
    #expect(difference(samples, (0..<200).map { Float($0 % 2 + 1) * 0.1 }) < 1e-6)
  }

  @Test func aDamagedProjectIsReadAsFarAsItGoes() throws {
    let lanes = ReaperReader.lanes(
      "<TRACK\n NAME \"a\\b\"\n<ITEM\nPOSITION nan\nPLAYRATE 1 1 0 -1 0 0.0025\n>\n>\n>\n>\nNAME x")
    #expect(lanes == [ReaperReader.Lane(name: "a\\b", items: [ReaperReader.Item()])])
    #expect(ReaperReader.words("FILE `a \"b\" 'c'` 1 \"open") == ["FILE", "a \"b\" 'c'", "1", "open"])
  }

  @Test(arguments: ["a.aup3", "a.m4a", "a.mjr", "a.zip", "a.webm", "a.wav", "none.wav", "empty.wav"])
  func saysWhatToDoWithWhatItCannotRead(name: String) throws {
    _ = try TakeFolder.obtain("in", in: scratch.path)
    if name != "none.wav" {
      try Data((name == "empty.wav" ? "" : "RIFFnonsense").utf8)
        .write(to: URL(fileURLWithPath: "\(scratch.path)/in/\(name)"))
    }
    #expect {
      _ = try plan(["in/\(name)"])
    } throws: { error in
      if name == "none.wav" { return (error as? FileProblem)?.isMissing == true }
      return error is ImportProblem && "\(error)".contains(name)
    }
    // A folder of nothing else is refused the same way.
    if name == "a.aup3" { #expect(throws: ImportProblem.self) { try plan() } }
  }

  @Test func anInterruptedImportThrowsAndLeavesOnlyItsHiddenFolder() throws {
    struct Stop: Error {}
    try write(noise(1, 96_000), "a.wav")
    let plan = try plan()
    let take = Take(
      id: TakeID(at: noon), number: 1, state: .ready, room: try RoomName(checking: "Cellar"),
      session: SessionID(at: noon), startedAt: noon, folder: "out")
    #expect(throws: Stop.self) {
      _ = try TakeImport(plan, in: out, software: "test").make(
        take, people: [Participant(id: ParticipantID(at: noon), name: plan.lanes[0].name)], files: [], aligns: false
      ) { part in
        if part > 0.5 { throw Stop() }
      }
    }
    #expect(try !out.has(TakeFolder.manifestName) && out.names().allSatisfy { $0.hasSuffix(".part") })
  }
}
