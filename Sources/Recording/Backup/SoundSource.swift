import Glibc

/// Sound read in stretches, of any length: a take's track or an upload.
package protocol SoundSource: AnyObject {
  var channels: Int { get }
  /// Samples per second, in Hz.
  var rate: Int { get }
  /// Number of frames (one sample of every channel).
  var frameCount: Int64 { get }
  /// Returns frames as interleaved samples, ±1 at full scale; the range must lie within the sound.
  func read(from first: Int64, frames: Int) throws -> [Float]
}

extension SoundSource {
  /// Returns frames from any position as interleaved samples, with silence outside the sound.
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

  /// Returns the mean of the channels from any position, with silence outside the sound.
  func mono(from first: Int64, frames: Int) throws -> [Float] {
    let samples = try padded(from: first, frames: frames)
    return channels == 1 ? samples : (0..<frames).map { (samples[$0 * 2] + samples[$0 * 2 + 1]) / 2 }
  }

  /// Returns one channel of interleaved samples.
  static func plane(_ channel: Int, of samples: [Float], channels: Int) -> [Float] {
    channels == 1 ? samples : stride(from: channel, to: samples.count, by: channels).map { samples[$0] }
  }
}

/// Reads windows of a take's track, and of a backup along an assumed line, both as mono at 48 kHz.
final class AlignmentWindows {
  let take: any SoundSource
  let backup: any SoundSource
  /// Frames of the backup per sample of the take if both clocks agree.
  let ratio: Double
  private let resampler: BackupResampler

  init(take: any SoundSource, backup: any SoundSource) {
    self.take = take
    self.backup = backup
    ratio = Double(backup.rate) / 48_000
    resampler = BackupResampler(rate: backup.rate)
  }

  /// Returns `count` samples of the take from `start`, with silence outside.
  func take(from start: Int64, count: Int) throws -> [Float] { try take.mono(from: start, frames: count) }

  /// Returns the backup's sound for the take's samples from `start`, for a delay (in samples at 48 kHz) of `delay` at
  /// the first of them that changes by `slope` per sample.
  func backup(from start: Int64, count: Int, delay: Double, slope: Double) throws -> [Float] {
    let line = BackupResampler.Line(
      position: (Double(start) + delay) * ratio, step: (1 + slope) * ratio, count: count)
    let (first, frames) = resampler.span(of: line)
    return resampler.process(try backup.mono(from: first, frames: frames), from: first, line)
  }

  /// Returns the backup's sound for the take's samples from `start`, using the line of `curve` at their middle.
  func backup(from start: Int64, count: Int, along curve: DelayCurve) throws -> [Float] {
    let middle = Double(start) + Double(count) / 2
    let slope = curve.slope(at: middle)
    return try backup(
      from: start, count: count, delay: curve.delay(at: middle) - slope * Double(count) / 2, slope: slope)
  }

  /// The line of a mapping over `count` samples of the take from `start`: the delay there, in samples, and its change per
  /// sample; nil where no stretch has all of them.
  func line(of mapping: BackupMapping, from start: Int64, count: Int) -> (delay: Double, slope: Double)? {
    let end = start + Int64(count)
    guard let stretch = mapping.stretches.first(where: { $0.start <= start && $0.end >= end }) else { return nil }
    let position = stretch.position(of: Double(start))
    let slope = (stretch.position(of: Double(end)) - position) / Double(count) / ratio - 1
    return (position / ratio - Double(start), slope)
  }

  /// The root mean square of the samples.
  static func level(_ samples: [Float]) -> Float {
    var sum: Float = 0
    for sample in samples { sum += sample * sample }
    return (sum / Float(max(1, samples.count))).squareRoot()
  }
}
