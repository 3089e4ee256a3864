import Music

/// Writes a track's lossless version: the backup resampled to the take's time line, and the track's own sound where
/// the backup has none.
///
/// It has exactly the track's length and the backup's level; equal backups give equal bytes.
package struct LosslessRender {
  /// Frames rendered at a time: one second.
  private static let block: Int64 = 48_000
  /// Samples per cross-fade between the two: 10 ms.
  private static let fade = 480.0

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
  }

  /// Writes the file `name` and its peaks into `folder`, replacing files of that name.
  ///
  /// - Parameter proceed: called once per second of the take; an error it throws stops the work and leaves no file.
  /// - Throws: `FileProblem`, and errors of the sources and of `proceed`.
  package func write(
    _ name: String, in folder: TakeFolder, tags: SoundFileTags, _ proceed: () throws -> Void = {}
  ) throws -> Result {
    let file = try SoundTrackFile(
      name, in: folder, options: RenderOptions(format: .flac24), channels: backup.channels, tags: tags)
    var place: Int64 = 0
    while place < track.frameCount {
      try proceed()
      let end = min(track.frameCount, place + LosslessRender.block)
      try samples(place..<end).withUnsafeBufferPointer { try file.write($0) }
      place = end
    }
    let finished = try file.finish()
    try folder.synchronize()
    guard let peaks = finished.peaks else {
      throw FileProblem(path: folder.label(name), operation: .write, code: 0, detail: "its peaks file was not created")
    }
    return Result(sound: finished.sound, peaks: peaks, peak: finished.peak, loudness: finished.loudness)
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
