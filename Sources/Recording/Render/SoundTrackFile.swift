/// One growing sound file of a take with its peaks and loudness.
final class SoundTrackFile {
  /// The result of a finished file.
  struct Finished {
    var sound: FinishedFile
    var peaks: FinishedFile?
    /// Highest absolute sample in dBFS; nil for silence.
    var peak: Double?
    /// Integrated loudness in LUFS; nil if it cannot be measured.
    var loudness: Double?
  }

  /// Samples of leading silence written at a time.
  private static let silenceChunk = 65_536

  let name: String
  let channels: Int
  private let sound: SoundFileWriter
  private let peaks: PeaksWriter?
  private var loudness: Loudness
  /// Factor of what is stored; peaks and levels are those of the samples that come.
  private let scale: Float
  /// The highest absolute sample so far.
  private(set) var highest: Float = 0

  init(
    _ name: String, in folder: TakeFolder, options: RenderOptions, channels: Int, tags: SoundFileTags,
    scale: Float = 1
  ) throws(FileProblem) {
    self.name = name
    self.scale = scale
    self.channels = channels
    sound = try SoundFileWriter(name, in: folder, format: options.format, channels: channels, tags: tags)
    sound.prepareForCheckpoints()
    peaks =
      options.makesPeaks
      ? try PeaksWriter(TakeFolder.peaksName(for: name), in: folder, channels: channels) : nil
    loudness = Loudness(channels: channels)
  }

  func write(_ samples: UnsafeBufferPointer<Float>) throws(FileProblem) {
    if scale == 1 { try sound.write(samples) } else { try sound.write(samples.map { $0 * scale }) }
    try peaks?.write(samples)
    loudness.add(samples)
    highest = max(highest, SamplePeak.highest(samples))
  }

  /// Writes `frames` of silence.
  func writeSilence(_ frames: Int64) throws(FileProblem) {
    let silence = [Float](repeating: 0, count: SoundTrackFile.silenceChunk * channels)
    var left = frames
    while left > 0 {
      let run = Array(silence.prefix(Int(min(left, Int64(SoundTrackFile.silenceChunk))) * channels))
      try sound.write(run)
      try peaks?.write(run)
      left -= Int64(run.count / channels)
    }
    loudness.addSilence(frames)
  }

  /// What a checkpoint holds of it.
  struct Part: Sendable, Codable {
    var name: String
    var channels: Int
    var sound: SoundFileWriter.Part
    var peaks: PeaksWriter.Part?
    var loudness: Loudness
    var highest: Float
  }

  /// Syncs the files and describes them; nil if they cannot be continued.
  /// - Throws: `FileProblem`; the files must then be made anew.
  func part() throws(FileProblem) -> Part? {
    guard let sound = try sound.part() else { return nil }
    let peaksPart = try peaks?.part()
    guard peaks == nil || peaksPart != nil else { return nil }
    return Part(
      name: name, channels: channels, sound: sound, peaks: peaksPart, loudness: loudness, highest: highest)
  }

  /// Continues the files of an interrupted process.
  /// - Throws: `FileProblem` if they are not as `part` says.
  init(continuing part: Part, in folder: TakeFolder, format: SoundFileFormat) throws(FileProblem) {
    (name, channels, scale) = (part.name, part.channels, 1)
    sound = try SoundFileWriter(
      continuing: part.sound, of: part.name, in: folder, format: format, channels: part.channels)
    var peaks: PeaksWriter?
    if let part = part.peaks {
      peaks = try PeaksWriter(continuing: part, of: TakeFolder.peaksName(for: name), in: folder)
    }
    self.peaks = peaks
    (loudness, highest) = (part.loudness, part.highest)
  }

  func finish() throws(FileProblem) -> Finished {
    Finished(
      sound: try sound.finish(), peaks: try peaks?.finish(), peak: Gain.level(of: highest),
      loudness: loudness.integrated)
  }
}
