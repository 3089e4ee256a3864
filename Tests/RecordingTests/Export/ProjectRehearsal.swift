import Foundation
import Music
import TestSupport

@testable import Recording

/// A take of three musicians with nasty names, made of noise so quiet that no limiter acts.
struct ProjectRehearsal {
  static let length: Int64 = 96_000
  static let names = [#"Ada "A" O'Neil `x`"#, "<Bob> & Söhne ]]>", "🎷 Cléo 👩‍🚀"]
  static let channels = [1, 2, 1]

  /// Interleaved samples of each track, made once.
  private static let noise: [[Float]] = {
    var random = SeededRandom(1)
    return channels.map { channels in
      // Multiples of a 24-bit step: the file has exactly these.
      (0..<Int(length) * channels).map { _ -> Float in
        Float(Int(random.next() >> 45) - (1 << 18)) / 8_388_608
      }
    }
  }()

  let scratch: ScratchFolder
  let folder: TakeFolder
  /// An empty folder for what is exported.
  let target: TakeFolder
  var manifest: Manifest
  /// Interleaved samples of each track, as its file has them.
  let tracks: [[Float]]

  var export: ProjectExport { ProjectExport(of: folder, manifest: manifest) }

  init() throws {
    scratch = try ScratchFolder()
    var take = try JournalSamples.take(song: "Ain't \"<No>\" & `Blue`", room: "Studio & Co")
    take.state = .ready
    take.length = SamplePosition(Self.length)
    folder = try TakeFolder.create(for: take, in: scratch.path)
    var tracks: [Track] = []
    var files: [Manifest.File] = []
    for (index, name) in Self.names.enumerated() {
      let channels = Self.channels[index]
      let participant = Participant(id: JournalSamples.id(UInt64(20 + index)), name: try JournalSamples.name(name))
      let part = index == 1 ? nil : "bass\nline \"x\""
      let file = TakeFolder.trackName(number: index + 1, participant: participant.name, part: part, ending: "flac")
      let writer = try SoundFileWriter(file, in: folder, format: .flac24, channels: channels)
      try writer.write(Self.noise[index])
      let track = Track(
        id: JournalSamples.id(UInt64(30 + index)), take: take.id, number: index + 1, participant: participant,
        part: part, channels: channels, length: take.length, file: file)
      tracks.append(track)
      files.append(Manifest.File(try writer.finish(), role: .track, track: track.id, format: .flac24))
    }
    let mix = try SoundFileWriter("mix.flac", in: folder, format: .flac24, channels: 2)
    files.append(Manifest.File(try mix.finish(), role: .mix, format: .flac24))
    self.tracks = Self.noise
    let cues = [(48_000, "Chorus \"2\" 'b' `c`\nnext"), (24_000, "<solo> & \u{7} 🎺"), (96_000, "end")]
    manifest = Manifest(
      software: "jamjar <test>", take: take, tracks: tracks,
      cues: cues.enumerated().map {
        Cue(id: JournalSamples.id(UInt64(40 + $0)), position: SamplePosition(Int64($1.0)), text: $1.1)
      }, files: files)
    try folder.write(try manifest.encoded(), as: TakeFolder.manifestName)
    var other = take
    other.folder = "out"
    target = try TakeFolder.create(for: other, in: scratch.path)
  }

  func path(_ name: String) -> String { "\(scratch.path)/out/\(name)" }

  /// A folder that was exported into `target`.
  func exported(_ name: String) throws -> TakeFolder {
    try TakeFolder(existing: "out/\(name)", in: scratch.path)
  }

  static func samples(_ name: String, in folder: TakeFolder) throws -> [Float] {
    let reader = try SoundFileReader(name, in: folder)
    return try reader.read(frames: Int(reader.frameCount))
  }
}
