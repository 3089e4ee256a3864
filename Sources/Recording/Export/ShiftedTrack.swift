import Music

/// A finished sound file's samples block by block from any place of a time line on; before its beginning and after its
/// end there is silence.
///
/// Sendable because it is used from one thread at a time: made by one, then handed to the one that reads.
final class ShiftedTrack: @unchecked Sendable {
  let channels: Int
  private let reader: SoundFileReader
  /// Frames of silence that are still to come before the file's.
  private var silence: Int64

  /// - Parameters:
  ///   - file: the file in `folder`.
  ///   - start: frame of the time line at which the file begins.
  ///   - first: frame of the time line from which on it is read.
  /// - Throws: `FileProblem`, `ExportProblem.wrongRate`.
  init(_ file: String, in folder: TakeFolder, start: Int64, from first: Int64) throws {
    reader = try SoundFileReader(file, in: folder)
    guard reader.rate == Int(SamplePosition.rate) else {
      throw ExportProblem.wrongRate(file: folder.label(file), rate: reader.rate)
    }
    channels = reader.channels
    silence = max(0, start - first)
    if first > start { try reader.seek(to: min(first - start, reader.frameCount)) }
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
