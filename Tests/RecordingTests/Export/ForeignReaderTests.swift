import CSndFile
import Foundation
import Music
import TestSupport
import Testing

@testable import Recording

/// Random exports are read by programs of others: none refuses a file, and all find the song book's words in it.
///
/// `script/bench readers --cases 1000` reads a thousand.
@Suite struct ForeignReaderTests {
  private static let cases = ProcessInfo.processInfo.environment["JAMJAR_EXPORT_CASES"].flatMap { Int($0) } ?? 24
  /// Files for one process of readers.
  private static let batch = 24

  private let studio: MixStudio

  init() throws {
    studio = try MixStudio([Tone.noise(1, level: 0.1, frames: Int(RandomExport.length))])
  }

  /// What libsndfile finds in a file.
  private struct Found {
    var info: SF_INFO
    var title: String
    var cues: [(frame: Int64, text: String)] = []
    var stamp: SF_BROADCAST_INFO?
  }

  /// Opens a file with libsndfile itself.
  private func open(_ name: String) throws -> Found {
    var info = SF_INFO()
    let handle = try #require(
      sf_open(studio.path(name), Int32(SFM_READ), &info), "\(name): \(String(cString: sf_strerror(nil)))")
    defer { sf_close(handle) }
    var found = Found(info: info, title: sf_get_string(handle, Int32(SF_STR_TITLE)).map { String(cString: $0) } ?? "")
    var cues = SF_CUES()
    if sf_command(handle, Int32(SFC_GET_CUE), &cues, Int32(MemoryLayout<SF_CUES>.size)) == SF_TRUE {
      let count = Int(cues.cue_count)
      found.cues = withUnsafeBytes(of: &cues.cue_points) { points in
        points.bindMemory(to: SF_CUE_POINT.self).prefix(count).map { point in
          let text = withUnsafeBytes(of: point.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
          return (Int64(point.sample_offset), text)
        }
      }
    }
    var stamp = SF_BROADCAST_INFO()
    let size = Int32(MemoryLayout<SF_BROADCAST_INFO>.size)
    if sf_command(handle, Int32(SFC_GET_BROADCAST_INFO), &stamp, size) == SF_TRUE { found.stamp = stamp }
    return found
  }

  @Test func nobodyRefusesAMixAndAllFindTheSongBook() throws {
    let formats = ExportFormat.allCases.filter(\.isAvailable)
    let exports = try (0..<Self.cases).map { number in
      try RandomExport(
        seed: UInt64(number), of: studio.take, studio.manifest, format: formats[number % formats.count])
    }
    for start in stride(from: 0, to: exports.count, by: Self.batch) {
      let part = exports[start..<min(start + Self.batch, exports.count)]
      let names = part.indices.map { "export-\($0).\(exports[$0].format.ending)" }
      for (name, export) in zip(names, part) { try export.write(name, in: studio.folder) }
      let readings = try ForeignReaders.read(names.map(studio.path))
      try #require(readings.count == part.count)
      for ((name, export), found) in zip(zip(names, part), readings) {
        try check(try open(name), export, name)
        for (reader, reading) in found { check(reading, of: reader, export, "\(reader) of \(name)") }
        try studio.folder.remove(name)
      }
    }
  }

  private func check(_ found: Found, _ export: RandomExport, _ name: String) throws {
    #expect(found.title == export.title, "\(name)")
    #expect(Int(found.info.samplerate) == export.rate && found.info.channels == 2, "\(name)")
    if export.format != .mp3, export.format != .opus {
      #expect(found.info.frames == RateConverter.frames(Int64(export.range.count), rate: export.rate), "\(name)")
    }
    guard export.format == .bwf24 else { return }
    #expect(found.cues.map(\.text) == export.cues.map(\.text), "\(name)")
    #expect(
      found.cues.map(\.frame) == export.cues.map { Int64(($0.seconds * Double(export.rate)).rounded()) }, "\(name)")
    let stamp = try #require(found.stamp)
    #expect(stamp.version == 2)
    // White noise at -24 dBFS or so, less than half a second of it: too short for a loudness, but not for a peak.
    #expect(stamp.loudness_value == BroadcastStamp.unused || (-6_000 ... -500).contains(stamp.loudness_value))
    #expect((-6_000...0).contains(stamp.max_true_peak_level))
    #expect(stamp.loudness_range == BroadcastStamp.unused && stamp.max_momentary_loudness == BroadcastStamp.unused)
  }

  private func check(
    _ reading: ForeignReaders.Reading, of reader: String, _ export: RandomExport, _ place: String
  ) {
    #expect(reading.refusal == nil, "\(place)")
    if let rate = reading.rate { #expect(rate == export.rate, "\(place)") }
    if let seconds = reading.seconds {
      let tolerance = export.format == .mp3 || export.format == .opus ? 0.06 : 0.002
      #expect(abs(seconds - Double(export.range.count) / 48_000) < tolerance, "\(place): \(seconds) s")
    }
    if let tags = reading.tags {
      var wanted = ["title": export.title, "album": export.source.take.room.description, "comment": export.comment]
      // Its names for the description of a `bext` chunk, and see ForeignReaders.
      if reader == "ffprobe", export.format == .bwf24 { wanted["comment"] = nil }
      if reader == "mediainfo", export.format.ending == "wav" { wanted["title"] = nil }
      for (name, text) in wanted { #expect(tags[name] == text, "\(name), \(place)") }
    }
    guard reader == "ffprobe", export.format == .bwf24 else { return }
    let chapters = reading.chapters ?? []
    #expect(chapters.map(\.title) == export.cues.map(\.text), "\(place)")
    for (chapter, cue) in zip(chapters, export.cues) {
      #expect(abs(chapter.start - cue.seconds) < 1.5 / Double(export.rate), "\(place)")
    }
  }

  @Test(arguments: [100, 101, 102, 103] as [UInt64]) func nobodyRefusesStems(seed: UInt64) throws {
    let export = try RandomExport(seed: seed, of: studio.take, studio.manifest, format: .bwf24)
    let project = ProjectExport(of: studio.folder, manifest: export.source.manifest(.take))
    let made = try project.writeFolder("stems", in: studio.folder, .stems, cues: export.source.cues)
    let names = made.files.map { "stems/\($0.name)" }.filter { $0.hasSuffix(".wav") }
    try #require(names.count == 1)
    let found = try open(names[0])
    #expect(found.cues.map(\.text) == export.source.cues.map(\.text))
    #expect(found.cues.map(\.frame) == export.source.cues.map(\.position.samples))
    // Nobody has measured a stem.
    #expect(found.stamp?.loudness_value == BroadcastStamp.unused)
    #expect(found.stamp?.max_true_peak_level == BroadcastStamp.unused)
    for (reader, reading) in try #require(try ForeignReaders.read(names.map(studio.path)).first) {
      #expect(reading.refusal == nil, "\(reader)")
      guard let tags = reading.tags else { continue }
      #expect(tags["album"] == export.source.take.room.description, "\(reader)")
      if reader == "ffprobe" { #expect(reading.chapters?.map(\.title) == export.source.cues.map(\.text)) }
    }
  }
}
