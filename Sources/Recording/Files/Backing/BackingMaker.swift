import Music

/// Decodes the file that somebody sent to a backing track: stereo at 48 kHz, as FLAC and as Opus.
///
/// It decodes files from outside, so it runs in a confined process.
package struct BackingMaker {
  /// Frames decoded at a time.
  private static let block = 48_000
  /// Longest backing track, in seconds: a page holds it in memory, which is 280 MB then.
  package static let longest = 720
  /// Highest sample after decoding; MP3 and Opus may go beyond full scale.
  private static let ceiling: Float = 0.999
  private static let rates = 8_000...192_000

  private let folder: TakeFolder

  package init(in folder: TakeFolder) {
    self.folder = folder
  }

  /// Writes the sound's files, and removes what was sent.
  ///
  /// - Parameter proceed: called for every second of sound; an error that it throws stops the work.
  /// - Returns: its length in samples, and the bytes of both files.
  /// - Throws: `BackingRefusal`, `FileProblem`, errors of `proceed`; the files have no names then.
  package func make(_ proceed: () throws -> Void) throws -> (length: Int64, bytes: Int64) {
    let source = try source()
    let rate = Int(SamplePosition.rate)
    let resampler = source.rate == rate ? nil : BackupResampler(rate: source.rate)
    let ratio = Double(source.rate) / Double(rate)
    // Rounded up, so that no sample is lost. `source` has bounded both.
    let length = (source.frameCount * SamplePosition.rate + Int64(source.rate) - 1) / Int64(source.rate)
    let gain = try gain(of: source, proceed)
    let tags = SoundFileTags()
    let whole = try SoundFileWriter(
      BackingFile.soundName, in: folder, as: .flac24, channels: 2, frames: length, tags: tags)
    let light =
      ExportFormat.opus.isAvailable
      ? try SoundFileWriter(BackingFile.lightName, in: folder, as: .opus, channels: 2, frames: length, tags: tags) : nil
    var place: Int64 = 0
    while place < length {
      try proceed()
      let count = Int(min(Int64(BackingMaker.block), length - place))
      let planes = try planes(of: source, from: place, count: count, ratio: ratio, resampler)
      var samples = [Float](repeating: 0, count: count * 2)
      for (index, (left, right)) in zip(planes.left, planes.right).enumerated() {
        samples[index * 2] = max(-1, min(1, left * gain))
        samples[index * 2 + 1] = max(-1, min(1, right * gain))
      }
      try whole.write(samples)
      try light?.write(samples)
      place += Int64(count)
    }
    let bytes = try whole.finish().size + (try light?.finish().size ?? 0)
    try folder.remove(BackingFile.uploadName)
    try folder.synchronize()
    return (length, bytes)
  }

  private func source() throws -> SoundFileSource {
    let source = try opened()
    guard source.frameCount > 0 else { throw BackingRefusal.empty }
    guard BackingMaker.rates.contains(source.rate) else { throw BackingRefusal.rate(source.rate) }
    let seconds = source.frameCount / Int64(source.rate)
    guard seconds <= Int64(BackingMaker.longest) else { throw BackingRefusal.tooLong(seconds: seconds) }
    return source
  }

  private func opened() throws -> SoundFileSource {
    do {
      return try SoundFileSource(BackingFile.uploadName, in: folder)
    } catch let problem {
      guard problem.operation == .read else { throw problem }
      throw BackingRefusal.unreadable(detail: problem.detail ?? "")
    }
  }

  /// The gain with which nothing clips; 1 for all that does not.
  private func gain(of source: SoundFileSource, _ proceed: () throws -> Void) throws -> Float {
    var peak: Float = 0
    var place: Int64 = 0
    while place < source.frameCount {
      try proceed()
      let count = Int(min(Int64(BackingMaker.block), source.frameCount - place))
      for sample in try source.read(from: place, frames: count) where sample.isFinite { peak = max(peak, abs(sample)) }
      place += Int64(count)
    }
    return peak > BackingMaker.ceiling ? BackingMaker.ceiling / peak : 1
  }

  /// Both sides; a file of one channel is the same on both, of more than two its first two are heard.
  private func planes(
    of source: SoundFileSource, from place: Int64, count: Int, ratio: Double, _ resampler: BackupResampler?
  ) throws -> (left: [Float], right: [Float]) {
    func plane(_ channel: Int, _ samples: [Float]) -> [Float] {
      let chosen = min(channel, source.channels - 1)
      return stride(from: chosen, to: samples.count, by: source.channels).map {
        samples[$0].isFinite ? samples[$0] : 0
      }
    }
    guard let resampler else {
      let samples = try source.padded(from: place, frames: count)
      return (plane(0, samples), plane(1, samples))
    }
    let line = BackupResampler.Line(position: Double(place) * ratio, step: ratio, count: count)
    let (first, frames) = resampler.span(of: line)
    let samples = try source.padded(from: first, frames: frames)
    return (
      resampler.process(plane(0, samples), from: first, line), resampler.process(plane(1, samples), from: first, line)
    )
  }
}

/// The reason why a file cannot be a backing track, for users.
package enum BackingRefusal: Error, Hashable, Sendable, Codable, CustomStringConvertible {
  case unreadable(detail: String)
  case empty
  /// In Hz.
  case rate(Int)
  case tooLong(seconds: Int64)
  /// Its decoder did not survive it.
  case broken

  package var description: String {
    switch self {
    case .unreadable(let detail):
      "this is no sound file that can be decoded\(detail.isEmpty ? "" : " (\(detail))"); send WAV, AIFF, FLAC, MP3, or "
        + "Ogg with Opus or Vorbis"
    case .empty: "there is no sound in the file"
    case .rate(let rate): "the file has \(rate) samples a second; 8000 to 192000 are possible"
    case .tooLong(let seconds):
      "the file is \(seconds / 60) minutes long; \(BackingMaker.longest / 60) minutes are possible"
    case .broken: "the file could not be decoded; save it once more, for example as WAV or FLAC"
    }
  }
}
