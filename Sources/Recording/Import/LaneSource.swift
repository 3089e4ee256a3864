import Music

/// A lane of an import as one sound at 48 kHz.
///
/// A file at 48 kHz is read sample by sample; others are resampled by the kernel of the musicians' own recordings.
final class LaneSource: SoundSource {
  let channels: Int
  let rate = Int(SamplePosition.rate)
  let frameCount: Int64
  private let pieces: [ImportPlan.Piece]
  private let sources: [ImportPlan.Source]
  /// The files of the latest stretch, by their place in `sources`: a project may have thousands.
  private var open: [Int: File] = [:]

  private struct File {
    let sound: any SoundSource
    /// Nil for a file at 48 kHz.
    let resampler: BackupResampler?
  }

  /// - Parameter shift: samples by which the lane lies later than planned.
  init(_ lane: ImportPlan.Lane, of plan: ImportPlan, shift: Int64 = 0) {
    sources = plan.sources
    pieces = lane.pieces.map { piece in
      var piece = piece
      piece.position += shift
      return piece
    }
    channels = pieces.contains { $0.channel == nil && plan.sources[$0.source].channels >= 2 } ? 2 : 1
    frameCount = pieces.map(\.end).max() ?? 0
  }

  private func file(_ index: Int) throws -> File {
    if let known = open[index] { return known }
    let source = sources[index]
    let sound: any SoundSource =
      try source.encoded.map(EncodedSoundSource.init)
      ?? SoundFileSource(source.name, in: TakeFolder(dataFolder: source.folder))
    let isExact = sound.rate == Int(SamplePosition.rate)
    let file = File(sound: sound, resampler: isExact ? nil : BackupResampler(rate: sound.rate))
    open[index] = file
    return file
  }

  func read(from first: Int64, frames: Int) throws -> [Float] {
    var output = [Float](repeating: 0, count: frames * channels)
    var used: Set<Int> = []
    defer { open = open.filter { used.contains($0.key) } }
    for piece in pieces {
      let start = max(first, piece.position)
      let end = min(first + Int64(frames), piece.end)
      guard start < end else { continue }
      used.insert(piece.source)
      let file = try file(piece.source)
      let planes = try planes(start..<end, piece, file.sound, file.resampler)
      let place = Int(start - first)
      for channel in 0..<channels {
        // A mono file is the same on both sides of a lane that has stereo files too.
        let plane = planes[min(channel, planes.count - 1)]
        for (index, sample) in plane.enumerated() { output[(place + index) * channels + channel] += sample }
      }
    }
    return output
  }

  /// Samples `range` of the take from one file, for each channel; never empty.
  private func planes(
    _ range: Range<Int64>, _ piece: ImportPlan.Piece, _ sound: any SoundSource, _ resampler: BackupResampler?
  ) throws -> [[Float]] {
    let chosen = piece.channel.map { [min($0, sound.channels - 1)] } ?? Array(0..<min(2, sound.channels))
    let start = range.lowerBound - piece.position
    guard let resampler else {
      let samples = try sound.padded(from: piece.skip + start, frames: range.count)
      return chosen.map { channel in (0..<range.count).map { samples[$0 * sound.channels + channel] } }
    }
    let ratio = Double(sound.rate) / Double(rate)
    let line = BackupResampler.Line(
      position: Double(piece.skip) + Double(start) * ratio, step: ratio, count: range.count)
    let (first, count) = resampler.span(of: line)
    let samples = try sound.padded(from: first, frames: count)
    return chosen.map { channel in
      resampler.process((0..<count).map { samples[$0 * sound.channels + channel] }, from: first, line)
    }
  }
}
