import Glibc
import Music

/// Writes a track's lossless version: the backup resampled to the take's time line, and the track's own sound where
/// the backup has none.
///
/// It has exactly the track's length; equal backups give equal bytes. Its level is the backup's, unless samples between
/// those of a hot recording would clip (a converter that clips leaves peaks of several dB between its samples): then the
/// file is stored 6.02 dB lower, or a multiple of it, which changes nothing but the exponent of a sample.
package struct LosslessRender {
  /// Frames rendered at a time: one second.
  private static let block: Int64 = 48_000
  /// Samples per cross-fade between the two: 10 ms.
  private static let fade = 480.0
  /// Half the level, in dB.
  private static let halving = 20 * log10(2.0)
  /// More than any recording needs: no filter raises samples in range by 24 dB.
  private static let mostHalvings = 4

  private let track: any SoundSource
  private let backup: any SoundSource
  private let mapping: BackupMapping
  private let resampler: BackupResampler

  /// - Parameter track: the take's track at 48 kHz.
  package init(track: any SoundSource, backup: any SoundSource, mapping: BackupMapping) {
    self.track = track
    self.backup = backup
    self.mapping = mapping
    resampler = BackupResampler(rate: backup.rate)
  }

  /// The files of a lossless track.
  package struct Result: Hashable, Sendable {
    package var sound: FinishedFile
    package var peaks: FinishedFile
    /// In dBFS and LUFS; nil if they cannot be measured.
    package var peak: Double?
    package var loudness: Double?
    /// Gain in dB that restores the level of the sound file; nil for a file at its own level.
    package var gain: Double?
  }

  /// Writes the file `name` and its peaks into `folder`, replacing files of that name; a file that is stored lower has
  /// another (`Result.sound`).
  ///
  /// - Parameter proceed: called once per second of the take; an error it throws stops the work and leaves no file.
  /// - Throws: `FileProblem`, and errors of the sources and of `proceed`.
  package func write(
    _ name: String, in folder: TakeFolder, tags: SoundFileTags, _ proceed: () throws -> Void = {}
  ) throws -> Result {
    var halvings = 0
    while true {
      let (file, highest) = try written(name, in: folder, tags: tags, halvings: halvings, proceed)
      let scaled = highest / Float(1 << halvings)
      guard scaled > 1, halvings < LosslessRender.mostHalvings else {
        return try finish(file, halvings: halvings, in: folder)
      }
      // The unfinished file goes with `file`.
      while halvings < LosslessRender.mostHalvings, highest / Float(1 << halvings) > 1 { halvings += 1 }
    }
  }

  /// Writes the whole track, at 1/2 to the power of `halvings` of its level.
  /// - Returns: the unfinished file, and the highest sample at the track's own level.
  private func written(
    _ name: String, in folder: TakeFolder, tags: SoundFileTags, halvings: Int, _ proceed: () throws -> Void
  ) throws -> (SoundTrackFile, highest: Float) {
    var tags = tags
    if halvings > 0 {
      tags.comment += ", stored \(halvings * 6) dB lower so that nothing clips"
    }
    let file = try SoundTrackFile(
      LosslessRender.name(name, halvings: halvings), in: folder, options: RenderOptions(format: .flac24),
      channels: backup.channels, tags: tags,
      scale: 1 / Float(1 << halvings))
    var place: Int64 = 0
    while place < track.frameCount {
      try proceed()
      let end = min(track.frameCount, place + LosslessRender.block)
      try samples(place..<end).withUnsafeBufferPointer { try file.write($0) }
      place = end
    }
    return (file, file.highest)
  }

  /// A file at another level has another name, "01-ada-lossless.6dB.flac": the list with its gain is written later, and a
  /// process that ends before must leave the listed file as it is.
  private static func name(_ name: String, halvings: Int) -> String {
    guard halvings > 0, let dot = name.lastIndex(of: ".") else { return name }
    return "\(name[..<dot]).\(halvings * 6)dB\(name[dot...])"
  }

  private func finish(_ file: SoundTrackFile, halvings: Int, in folder: TakeFolder) throws -> Result {
    let finished = try file.finish()
    try folder.synchronize()
    guard let peaks = finished.peaks else {
      throw FileProblem(
        path: folder.label(file.name), operation: .write, code: 0, detail: "its peaks file was not created")
    }
    return Result(
      sound: finished.sound, peaks: peaks, peak: finished.peak, loudness: finished.loudness,
      gain: halvings == 0 ? nil : Double(halvings) * LosslessRender.halving)
  }

  /// The take's samples in `range`, interleaved, with the backup's channels.
  func samples(_ range: Range<Int64>) throws -> [Float] {
    let channels = backup.channels
    let within = mapping.stretches.filter { $0.start < range.upperBound && $0.end > range.lowerBound }
    // The track is needed at both ends of a stretch and outside of all stretches.
    let isWhole = within.contains { stretch in
      let fade = Int64(LosslessRender.fade)
      return (stretch.start == 0 || stretch.start + fade <= range.lowerBound)
        && (stretch.end == track.frameCount || stretch.end - fade >= range.upperBound)
        && stretch.start <= range.lowerBound && stretch.end >= range.upperBound
    }
    var output =
      isWhole
      ? [Float](repeating: 0, count: range.count * channels) : try own(range)
    for stretch in within {
      let part = max(range.lowerBound, stretch.start)..<min(range.upperBound, stretch.end)
      var place = part.lowerBound
      for line in stretch.lines(in: part) {
        let (first, frames) = resampler.span(of: line)
        let input = try backup.padded(from: first, frames: frames)
        for channel in 0..<channels {
          let plane = channels == 1 ? input : stride(from: channel, to: input.count, by: channels).map { input[$0] }
          let sound = resampler.process(plane, from: first, line)
          for (index, sample) in sound.enumerated() {
            let target = (Int(place - range.lowerBound) + index) * channels + channel
            let weight = isWhole ? 1 : weight(of: place + Int64(index), in: stretch)
            output[target] += (sample - output[target]) * weight
          }
        }
        place += Int64(line.count)
      }
    }
    return output
  }

  /// The weight of the backup: it fades in and out over 10 ms, except at the take's own beginning and end.
  private func weight(of sample: Int64, in stretch: BackupMapping.Stretch) -> Float {
    var weight = 1.0
    if stretch.start > 0 { weight = min(weight, (Double(sample - stretch.start) + 0.5) / LosslessRender.fade) }
    if stretch.end < track.frameCount {
      weight = min(weight, (Double(stretch.end - sample) - 0.5) / LosslessRender.fade)
    }
    return Float(max(0, weight))
  }

  /// The track's own samples with the backup's channels.
  private func own(_ range: Range<Int64>) throws -> [Float] {
    let samples = try track.padded(from: range.lowerBound, frames: range.count)
    switch (track.channels, backup.channels) {
    case (1, 2): return samples.flatMap { [$0, $0] }
    case (2, 1): return (0..<range.count).map { (samples[$0 * 2] + samples[$0 * 2 + 1]) / 2 }
    default: return samples
    }
  }
}
