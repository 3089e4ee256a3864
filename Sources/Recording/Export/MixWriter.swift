/// A stereo file as it is exported, with what is measured on the way.
final class MixWriter {
  private let sound: SoundFileWriter
  private var loudness = Loudness(channels: 2)
  private var highest: Float = 0

  init(
    _ name: String, in folder: TakeFolder, format: SoundFileFormat, tags: SoundFileTags
  ) throws(FileProblem) {
    sound = try SoundFileWriter(name, in: folder, format: format, channels: 2, tags: tags)
  }

  var frameCount: Int64 { sound.frameCount }

  func write(_ samples: UnsafeBufferPointer<Float>) throws(FileProblem) {
    try sound.write(samples)
    loudness.add(samples)
    highest = max(highest, SamplePeak.highest(samples))
  }

  /// Closes the file and gives it its name.
  func finish() throws(FileProblem) -> (file: FinishedFile, peak: Double?, loudness: Double?) {
    (try sound.finish(), Gain.level(of: highest), loudness.integrated)
  }
}
