import CSndFile
import Foundation
import Glibc
import Music
import TestSupport
import Testing

@testable import Recording

/// What others read in the files that are exported.
@Suite struct ExportFileTests {
  private static let frames = 96_000

  private func studio(cues: [(Double, String)] = []) throws -> MixStudio {
    let tone = Tone.stereo(440, frames: Self.frames)
    return try MixStudio([tone, Tone.noise(2, level: 0.1, frames: Self.frames)], cues: cues)
  }

  /// What a program prints; popen, because `Process` waits on a run loop that a test's thread has not.
  private func output(of program: String, _ arguments: [String]) throws -> Data {
    let command = ([program] + arguments).map { "'\($0)'" }.joined(separator: " ") + " </dev/null 2>/dev/null"
    let pipe = try #require(popen(command, "r"))
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, pipe)
      guard count > 0 else { break }
      data.append(contentsOf: buffer[0..<count])
    }
    #expect(pclose(pipe) == 0, "\(command)")
    return data
  }

  /// Interleaved stereo as ffmpeg decodes it.
  private func decoded(_ path: String, rate: Int = 48_000) throws -> Interleaved {
    let data = try output(
      of: "ffmpeg", ["-v", "error", "-i", path, "-f", "f32le", "-ac", "2", "-ar", "\(rate)", "-"])
    let samples = data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    return Interleaved(samples: samples, channels: 2)
  }

  private struct Probe: Decodable {
    struct Stream: Decodable {
      var sampleRate: String
      var channels: Int

      private enum CodingKeys: String, CodingKey {
        case channels
        case sampleRate = "sample_rate"
      }
    }
    struct Format: Decodable {
      var duration: String
      var tags: [String: String]?
    }
    struct Chapter: Decodable {
      var start: String
      var tags: [String: String]?

      private enum CodingKeys: String, CodingKey {
        case tags
        case start = "start_time"
      }
    }
    var streams: [Stream]
    var format: Format
    var chapters: [Chapter]
  }

  private func probe(_ path: String) throws -> Probe {
    let data = try output(
      of: "ffprobe",
      ["-v", "error", "-of", "json", "-show_format", "-show_streams", "-show_chapters", path])
    return try JSONDecoder().decode(Probe.self, from: data)
  }

  @Test(arguments: ExportFormat.allCases.filter(\.isAvailable))
  func everyFormatIsReadByOthersAndEqualTwice(format: ExportFormat) throws {
    let studio = try studio()
    let reference = try studio.export().sound
    for rate in format.rates {
      let name = "export.\(format.ending)"
      let mix = try studio.mixDown.write(
        name, in: studio.folder, settings: MixSettings(gain: -1), format: format, rate: rate, title: "a test")
      let bytes = try studio.folder.read(name)
      let probe = try probe(studio.path(name))
      #expect(probe.streams.first?.sampleRate == "\(rate)")
      #expect(probe.streams.first?.channels == 2)
      #expect(abs((Double(probe.format.duration) ?? 0) - 2) < 0.06)
      #expect(mix.length.samples == Int64(Self.frames))
      let plane = try decoded(studio.path(name), rate: rate).plane()
      let middle = Array(plane.dropFirst(rate / 2).prefix(rate))
      let level = Tone.level(Tone.amplitude(440, in: middle, rate: Double(rate)))
      let expected = Tone.level(Tone.amplitude(440, in: Array(reference.plane()[24_000..<72_000]))) - 1
      #expect(abs(level - expected) < 0.3, "\(format) at \(rate): \(level) dB")

      let again = try studio.mixDown.write(
        name, in: studio.folder, settings: MixSettings(gain: -1), format: format, rate: rate, title: "a test")
      #expect(again.file.digest == mix.file.digest)
      #expect(try studio.folder.read(name) == bytes)
    }
  }

  @Test func sixteenBitsAreRoundedWithNoiseOfTwoSteps() throws {
    let studio = try studio()
    let reference = try studio.export().sound.samples
    for (format, name) in [(ExportFormat.wav16, "export.wav"), (.flac16, "export.flac")] {
      let sound = try studio.export(format: format, as: name).sound.samples
      let errors = zip(sound, reference).map { Double($0 - $1) * 32_768 }
      #expect(errors.allSatisfy { abs($0) <= 1.51 })
      let power = errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)
      #expect(abs(power - 0.25) < 0.01)
    }
  }

  @Test func broadcastWaveSaysWhenItBeginsAndWhereTheCuesAre() throws {
    // The take began at 2026-11-21T03:10:00Z.
    let studio = try studio(cues: [(0.25, "before"), (0.75, "Chorus – “Naïma” 🎷"), (1.5, "solo"), (1.9, "behind")])
    let settings = MixSettings(range: SamplePosition(24_000)..<SamplePosition(84_000))
    for rate in [48_000, 44_100] {
      let mix = try studio.mixDown.write(
        "export.wav", in: studio.folder, settings: settings, format: .bwf24, rate: rate, title: "as played")
      #expect(mix.start.samples == 24_000)
      let probe = try probe(studio.path("export.wav"))
      let tags = try #require(probe.format.tags)
      let midnight = studio.take.startedAt.milliseconds % 86_400_000
      #expect(tags["time_reference"] == "\((midnight + 500) * Int64(rate) / 1_000)")
      #expect(tags["date"] == studio.take.startedAt.date)
      #expect(tags["creation_time"] == String(studio.take.startedAt.description.dropFirst(11).prefix(8)))
      #expect(tags["encoded_by"] == "Jamjar")
      #expect(tags["comment"]?.contains("Blue Train, take 3") == true)
      #expect(probe.chapters.map { $0.tags?["title"] } == ["Chorus – “Naïma” 🎷", "solo"])
      let starts: [Double] = probe.chapters.map { ((Double($0.start) ?? -1) * 1_000).rounded() }
      #expect(starts == [250, 1_000])
    }
    // libsndfile finds the same.
    var shape = SF_INFO()
    let handle = try #require(sf_open(studio.path("export.wav"), Int32(SFM_READ), &shape))
    defer { sf_close(handle) }
    var cues = SF_CUES()
    let size = Int32(MemoryLayout<SF_CUES>.size)
    #expect(sf_command(handle, Int32(SFC_GET_CUE), &cues, size) == SF_TRUE)
    #expect(cues.cue_count == 2)
    #expect(cues.cue_points.0.sample_offset == 11_025 && cues.cue_points.1.sample_offset == 44_100)
    var bext = SF_BROADCAST_INFO()
    let bextSize = Int32(MemoryLayout<SF_BROADCAST_INFO>.size)
    #expect(sf_command(handle, Int32(SFC_GET_BROADCAST_INFO), &bext, bextSize) == SF_TRUE)
    #expect(bext.time_reference_high == 0 && bext.version >= 1)
  }

  @Test func filesOfATakeLieExactlyAgainstOneAnotherEvenAroundMidnight() throws {
    let zero = try #require(WallTime("2026-11-21T23:59:59.990Z"))
    func stamp(_ start: Int64) -> BroadcastStamp {
      BroadcastStamp(zero: zero, start: SamplePosition(start), originator: "", text: "")
    }
    #expect(stamp(48_000).timeReference == stamp(0).timeReference + 48_000)
    #expect(stamp(-3_912).timeReference == stamp(0).timeReference - 3_912)
    #expect(stamp(48_000).date == "2026-11-22" && stamp(48_000).time == "00:00:00")
    let early = BroadcastStamp(
      zero: try #require(WallTime("2026-11-21T00:00:00Z")), start: SamplePosition(-48_000), originator: "", text: "")
    #expect(early.timeReference == 86_399 * 48_000 && early.date == "2026-11-20" && early.time == "23:59:59")
  }

  @Test func tagsAreReadInEveryFormatThatHasThem() throws {
    let studio = try studio()
    for format in [ExportFormat.flac24, .wav24, .opus, .mp3] where format.isAvailable {
      let name = "export.\(format.ending)"
      _ = try studio.mixDown.write(
        name, in: studio.folder, settings: MixSettings(gain: -1), format: format, title: "as ada heard it")
      let tags = try SoundFileReader(name, in: studio.folder).tags
      #expect(tags.title == "Blue Train, as ada heard it", "\(format)")
      #expect(tags.comment.hasPrefix("take 3"), "\(format)")
    }
  }

  @Test func beyondFourGibibytesWaveBecomesRF64() {
    let most = (Int64(UInt32.max) - 1 << 20) / 6
    #expect(ExportFormat.wav24.code(frames: most, channels: 2) & Int32(SF_FORMAT_TYPEMASK) == Int32(SF_FORMAT_WAV))
    #expect(
      ExportFormat.bwf24.code(frames: most + 1, channels: 2) & Int32(SF_FORMAT_TYPEMASK) == Int32(SF_FORMAT_RF64))
    #expect(ExportFormat.wav16.code(frames: .max, channels: 2) & Int32(SF_FORMAT_TYPEMASK) == Int32(SF_FORMAT_RF64))
    #expect(ExportFormat.flac24.code(frames: .max, channels: 2) & Int32(SF_FORMAT_TYPEMASK) == Int32(SF_FORMAT_FLAC))
  }

  @Test func aBroadcastFileInRF64HasItsStampAndItsCues() throws {
    let studio = try studio()
    let markers = [Marker(frame: 4_800, text: "one"), Marker(frame: 9_600, text: "two")]
    var shape = SoundFileShape(
      code: ExportFormat.bwf24.code(frames: .max, channels: 2), channels: 2, rate: 48_000)
    shape.isDowngraded = false
    shape.chunks = markers.chunks
    shape.stamp = BroadcastStamp(
      zero: studio.take.startedAt, start: .zero, originator: "Jamjar", text: String(repeating: "ü", count: 200))
    let writer = try SoundFileWriter("long.wav", in: studio.folder, shape: shape)
    try writer.write(Tone.noise(1, frames: 24_000))
    _ = try writer.finish()
    #expect(Array(try studio.folder.read("long.wav").prefix(4)) == Array("RF64".utf8))
    let probe = try probe(studio.path("long.wav"))
    #expect(probe.chapters.map { $0.tags?["title"] } == ["one", "two"])
    #expect(probe.format.tags?["time_reference"] != nil)
    #expect(probe.format.tags?["comment"] == String(repeating: "ü", count: 128))
  }

  @Test func anUnchangedMixInItsOwnFormatIsTheFileItself() throws {
    let own = Tone.noise(7, level: 0.3, frames: Self.frames)
    let studio = try MixStudio([Tone.stereo(440, frames: Self.frames)], mix: own)
    let mix = try studio.mixDown.write("export.flac", in: studio.folder)
    #expect(try studio.folder.read("export.flac") == studio.folder.read("mix.flac"))
    #expect(mix.file.digest == studio.manifest.files.last?.digest)
    // In another format, cut or faded, it is that mix and none made anew of the tracks.
    let cut = try studio.export(MixSettings(range: SamplePosition(100)..<SamplePosition(2_100))).sound.samples
    let samples = try SoundFileReader("mix.flac", in: studio.folder).read(frames: Self.frames)
    #expect(cut == Array(samples[200..<4_200]))

    // A second look just replaced it, and has not written its manifest yet: another mix of the very length.
    var other = try studio.folder.read("mix.flac")
    other[other.count - 7] ^= 1
    try studio.folder.write(other, as: "mix.flac")
    #expect(throws: ExportProblem.replaced(file: studio.folder.label("mix.flac"))) {
      try studio.mixDown.write("again.flac", in: studio.folder)
    }
    #expect(try !studio.folder.names().contains { $0.hasPrefix("again") })

    let damaged = try studio.folder.read("mix.flac").dropLast(5)
    try studio.folder.write(Array(damaged), as: "mix.flac")
    #expect(throws: ExportProblem.self) { try studio.mixDown.write("again.flac", in: studio.folder) }
    #expect(try !studio.folder.names().contains { $0.hasPrefix("again") })
  }
}
