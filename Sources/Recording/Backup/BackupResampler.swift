import Machines

/// Reads a backup at fractional positions along a straight line of the take's time, without a seam between lines.
///
/// It is stateless, like `Resampler`: equal positions give equal samples.
struct BackupResampler: Sendable {
  private static let positionBits = 32
  private static let weightBits = positionBits - BackupKernel.fractionBits
  private static let weightScale = 1 / Float(1 << weightBits)
  /// Frames whose four sums are kept before they are added up, as in `Resampler`.
  private static let stretch = 64

  let kernel: BackupKernel

  init(rate: Int) {
    kernel = BackupKernel(rate: rate)
  }

  /// A run of samples of the take and their positions in a backup.
  struct Line: Hashable, Sendable {
    /// Position of the first sample in the backup, in its frames.
    var position: Double
    /// Frames of the backup per sample of the take.
    var step: Double
    var count: Int
  }

  /// The frames of the backup needed by `line`.
  func span(of line: Line) -> (first: Int64, count: Int) {
    let first = Int64(saturating: line.position.rounded(.down)) &- Int64(kernel.before)
    let last = Int64(saturating: (line.position + line.step * Double(max(0, line.count - 1))).rounded(.down))
    return (first, Int(last - first) + kernel.after + 2)
  }

  /// Resamples one plane, which begins at frame `first` of the backup and contains everything `line` needs.
  func process(_ plane: [Float], from first: Int64, _ line: Line) -> [Float] {
    let scale = Double(1 << BackupResampler.positionBits)
    let place = Int(saturating: (line.position - Double(first)) * scale)
    let step = Int(saturating: line.step * scale)
    let last = (place &+ step &* max(0, line.count &- 1)) &>> BackupResampler.positionBits
    precondition(
      step > 0 && place &>> BackupResampler.positionBits >= kernel.before && last + kernel.after < plane.count,
      "resampler line \(line) outside its buffer")
    return [Float](unsafeUninitializedCapacity: line.count) { output, filled in
      filled = line.count
      guard let out = output.baseAddress else { return }
      plane.withUnsafeBufferPointer { plane in
        kernel.table.withUnsafeBufferPointer { table in
          guard let input = plane.baseAddress, let table = table.baseAddress else { return }
          run(input, table, place, step, line.count, out)
        }
      }
    }
  }

  private func run(
    _ input: UnsafePointer<Float>, _ table: UnsafePointer<Float>, _ start: Int, _ step: Int, _ count: Int,
    _ out: UnsafeMutablePointer<Float>
  ) {
    let (taps, before) = (kernel.taps, kernel.before)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: BackupResampler.stretch * 4) { sums in
      guard let sums = sums.baseAddress else { return }
      var done = 0
      while done < count {
        let frames = min(BackupResampler.stretch, count &- done)
        var frame = 0
        while frame < frames {
          let place = start &+ step &* (done &+ frame)
          let fraction = (place &>> BackupResampler.weightBits) & (BackupKernel.fractions &- 1)
          let row = table + fraction &* (taps &* 2)
          let weight = Float(place & (1 << BackupResampler.weightBits - 1)) * BackupResampler.weightScale
          let samples = input + ((place &>> BackupResampler.positionBits) &- before)
          var (s0, s1, s2, s3): (Float, Float, Float, Float) = (0, 0, 0, 0)
          var tap = 0
          while tap < taps {
            let c = row + (tap &* 2)
            let x = samples + tap
            s0 += (c[0] + weight * c[4]) * x[0]
            s1 += (c[1] + weight * c[5]) * x[1]
            s2 += (c[2] + weight * c[6]) * x[2]
            s3 += (c[3] + weight * c[7]) * x[3]
            tap &+= 4
          }
          let sum = sums + (frame &* 4)
          sum[0] = s0
          sum[1] = s1
          sum[2] = s2
          sum[3] = s3
          frame &+= 1
        }
        frame = 0
        while frame < frames {
          let sum = sums + (frame &* 4)
          out[done &+ frame] = (sum[0] + sum[2]) + (sum[1] + sum[3])
          frame &+= 1
        }
        done &+= frames
      }
    }
  }
}

/// The filter that converts a backup from its own clock to the take's 48 kHz: a windowed sinc at 512 fractions of a
/// sample.
///
/// It has 128 taps at rates up to 48 kHz and more above, under a Kaiser window. The stop band begins at half the
/// lower of the two rates, and the pass band ends 2.7 kHz below that (21.3 kHz at 48 kHz, 19.6 kHz at 44.1 kHz). The
/// `ResamplerKernel` of the tracks is shorter because Opus, unlike a backup, contains nothing above 20 kHz.
struct BackupKernel: Sendable {
  static let fractionBits = 9
  static let fractions = 1 << fractionBits
  /// Taps at rates up to 48 kHz.
  private static let baseTaps = 128
  /// Attenuation in the stop band, in dB.
  private static let attenuation = 110.0
  private static let lineRate = 48_000.0

  /// A multiple of four.
  let taps: Int
  /// Input samples needed before a position.
  var before: Int { taps / 2 - 1 }
  /// Input samples needed after a position.
  var after: Int { taps / 2 }
  /// For each fraction and every four taps: four coefficients, then their differences from the next fraction's.
  let table: [Float]

  /// - Parameter rate: the backup's, in Hz.
  init(rate: Int) {
    let excess = max(1, Double(rate) / BackupKernel.lineRate)
    let taps = (Int(saturating: (Double(BackupKernel.baseTaps) * excess).rounded(.up)) + 3) / 4 * 4
    // Kaiser: the width of the transition for so many taps, in cycles a sample.
    let transition = (BackupKernel.attenuation - 7.95) / (14.36 * Double(taps))
    let cut = 0.5 / excess - transition / 2
    let filter = WindowedSinc(taps: taps, cutoff: 2 * cut, window: .kaiser(attenuation: BackupKernel.attenuation))
    table = filter.table(fractions: BackupKernel.fractions)
    self.taps = taps
  }
}
