import Music
import TestSupport

@testable import Recording

/// A take of which the tracks are what a test says, without a journal: files, manifest, cues.
struct MixStudio {
  let scratch: ScratchFolder
  let folder: TakeFolder
  var manifest: Manifest
  let take: Take

  var mixDown: MixDown { MixDown(of: folder, manifest: manifest) }

  /// - Parameters:
  ///   - tracks: interleaved samples of each track, all stereo or all mono.
  ///   - mix: interleaved stereo of the finished mix, nil for none.
  init(
    _ tracks: [[Float]], channels: Int = 2, mix: [Float]? = nil, format: SoundFileFormat = .flac24,
    cues: [(Double, String)] = []
  ) throws {
    scratch = try ScratchFolder()
    var take = try JournalSamples.take()
    folder = try TakeFolder.create(for: take, in: scratch.path)
    let length = SamplePosition(Int64((tracks.map(\.count).max() ?? 0) / channels))
    take.length = length
    self.take = take
    var made: [Track] = []
    var files: [Manifest.File] = []
    for (index, samples) in tracks.enumerated() {
      let name = "0\(index + 1)-track.\(format.ending)"
      let writer = try SoundFileWriter(name, in: folder, format: format, channels: channels)
      try writer.write(samples)
      let file = try writer.finish()
      let id = TrackID(at: take.startedAt)
      made.append(
        Track(
          id: id, take: take.id, number: index + 1,
          participant: Participant(
            id: ParticipantID(at: take.startedAt), name: try DisplayName(checking: "player \(index + 1)")),
          channels: channels, length: length, file: name))
      files.append(Manifest.File(file, role: .track, track: id, format: format))
    }
    if let mix {
      let writer = try SoundFileWriter("mix.\(format.ending)", in: folder, format: format, channels: 2)
      try writer.write(mix)
      files.append(Manifest.File(try writer.finish(), role: .mix, format: format))
    }
    manifest = Manifest(
      software: "jamjar test", take: take, tracks: made,
      cues: cues.map {
        Cue(id: CueID(at: take.startedAt), position: SamplePosition(Int64($0.0 * 48_000)), text: $0.1)
      }, files: files)
  }

  /// Exports and reads back: interleaved samples.
  func export(
    _ settings: MixSettings = MixSettings(), shifts: [TrackShift] = [], format: ExportFormat = .wav32f,
    rate: Int = 48_000, as name: String = "export.wav"
  ) throws -> (mix: ExportedMix, sound: Interleaved) {
    let mix = try mixDown.write(
      name, in: folder, settings: settings, shifts: shifts, format: format, rate: rate, title: "a test")
    let reader = try SoundFileReader(name, in: folder)
    return (mix, Interleaved(samples: try reader.read(frames: Int(reader.frameCount)), channels: reader.channels))
  }

  /// The system's path of a file in the take's folder.
  func path(_ name: String) -> String { "\(scratch.path)/\(folder.path)/\(name)" }
}
