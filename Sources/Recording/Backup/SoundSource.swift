/// Sound that is read in stretches, however long it is: a take's track, or an upload.
package protocol SoundSource: AnyObject {
  var channels: Int { get }
  /// Samples per second, in Hz.
  var rate: Int { get }
  /// Frames (one sample of every channel) that there are.
  var frameCount: Int64 { get }
  /// Frames as interleaved samples, ±1 at full scale; all of them lie inside.
  func read(from first: Int64, frames: Int) throws -> [Float]
}

extension SoundSource {
  /// Frames from any place on, silence outside, as interleaved samples.
  func padded(from first: Int64, frames: Int) throws -> [Float] {
    let start = max(0, min(frameCount, first))
    let end = max(start, min(frameCount, first + Int64(frames)))
    let inside = end > start ? try read(from: start, frames: Int(end - start)) : []
    if inside.count == frames * channels { return inside }
    let before = Int(max(0, min(Int64(frames), start - first)))
    var samples = [Float](repeating: 0, count: before * channels) + inside
    samples += [Float](repeating: 0, count: max(0, frames * channels - samples.count))
    return samples
  }

  /// The mean of the channels from any place on, silence outside.
  func mono(from first: Int64, frames: Int) throws -> [Float] {
    let samples = try padded(from: first, frames: frames)
    return channels == 1 ? samples : (0..<frames).map { (samples[$0 * 2] + samples[$0 * 2 + 1]) / 2 }
  }

  /// One channel from any place on, silence outside.
  static func plane(_ channel: Int, of samples: [Float], channels: Int) -> [Float] {
    channels == 1 ? samples : stride(from: channel, to: samples.count, by: channels).map { samples[$0] }
  }
}
