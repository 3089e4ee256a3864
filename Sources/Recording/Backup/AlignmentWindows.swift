import Glibc

/// Reads windows of a take's track, and of a backup along a supposed line, both as mono at 48 kHz.
final class AlignmentWindows {
  let take: any SoundSource
  let backup: any SoundSource
  /// Frames of the backup for a sample of the take where both clocks agree.
  let ratio: Double
  private let resampler: BackupResampler

  init(take: any SoundSource, backup: any SoundSource) {
    self.take = take
    self.backup = backup
    ratio = Double(backup.rate) / 48_000
    resampler = BackupResampler(rate: backup.rate)
  }

  /// `count` samples of the take from `start` on, silence outside.
  func take(from start: Int64, count: Int) throws -> [Float] { try take.mono(from: start, frames: count) }

  /// The backup's sound for the take's samples from `start` on, where it is later by `delay` (in samples at 48 kHz) at
  /// the first of them and the delay changes by `slope` a sample.
  func backup(from start: Int64, count: Int, delay: Double, slope: Double) throws -> [Float] {
    let line = BackupResampler.Line(
      position: (Double(start) + delay) * ratio, step: (1 + slope) * ratio, count: count)
    let (first, frames) = resampler.span(of: line)
    return resampler.process(try backup.mono(from: first, frames: frames), from: first, line)
  }

  /// The backup's sound for the take's samples from `start` on, as `curve` has it in their middle.
  func backup(from start: Int64, count: Int, along curve: DelayCurve) throws -> [Float] {
    let middle = Double(start) + Double(count) / 2
    let slope = curve.slope(at: middle)
    return try backup(
      from: start, count: count, delay: curve.delay(at: middle) - slope * Double(count) / 2, slope: slope)
  }

  /// The root mean square of samples.
  static func level(_ samples: [Float]) -> Float {
    var sum: Float = 0
    for sample in samples { sum += sample * sample }
    return (sum / Float(max(1, samples.count))).squareRoot()
  }
}
