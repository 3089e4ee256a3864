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
  private var highest: Float = 0

  init(
    _ name: String, in folder: TakeFolder, options: RenderOptions, channels: Int, tags: SoundFileTags
  ) throws(FileProblem) {
    self.name = name
    self.channels = channels
    sound = try SoundFileWriter(name, in: folder, format: options.format, channels: channels, tags: tags)
    peaks =
      options.makesPeaks
      ? try PeaksWriter(TakeFolder.peaksName(for: name), in: folder, channels: channels) : nil
    loudness = Loudness(channels: channels)
  }

  func write(_ samples: UnsafeBufferPointer<Float>) throws(FileProblem) {
    try sound.write(samples)
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

  func finish() throws(FileProblem) -> Finished {
    Finished(
      sound: try sound.finish(), peaks: try peaks?.finish(), peak: Gain.level(of: highest),
      loudness: loudness.integrated)
  }
}
