import Music

/// A finished track's samples block by block, beginning after some silence; after its end there is silence too.
final class ShiftedTrack {
  let channels: Int
  /// Frames from the mix's beginning to the track's end.
  let end: Int64
  private let reader: SoundFileReader
  /// Frames of silence that are still to come before the track.
  private var silence: Int64

  /// - Parameters:
  ///   - file: the track's file in `folder`.
  ///   - start: frame of the mix at which the track begins, 0 or more.
  /// - Throws: `FileProblem`, `ExportProblem.wrongRate`.
  init(_ file: String, in folder: TakeFolder, start: Int64) throws {
    reader = try SoundFileReader(file, in: folder)
    guard reader.rate == Int(SamplePosition.rate) else {
      throw ExportProblem.wrongRate(file: folder.label(file), rate: reader.rate)
    }
    channels = reader.channels
    silence = max(0, start)
    end = silence + reader.frameCount
  }

  /// The next `frames` frames, interleaved, always as many as asked for.
  func next(frames: Int) throws(FileProblem) -> [Float] {
    let quiet = Int(min(silence, Int64(frames)))
    silence -= Int64(quiet)
    if quiet == 0 {
      let samples = try reader.read(frames: frames)
      if samples.count == frames * channels { return samples }
      return samples + [Float](repeating: 0, count: frames * channels - samples.count)
    }
    var samples = [Float](repeating: 0, count: quiet * channels)
    samples += try reader.read(frames: frames - quiet)
    samples += [Float](repeating: 0, count: frames * channels - samples.count)
    return samples
  }
}
