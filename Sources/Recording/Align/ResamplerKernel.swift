import Glibc

/// The resampler's filter: a windowed sinc sampled at 512 fractions of a sample, with the slope to the next fraction.
///
/// 48 taps under a Kaiser window, cut off at Nyquist: flat to 20.3 kHz, below -110 dB from 27.7 kHz. For ratios
/// between 0.999 and 1.001, everything that could alias below 20 kHz lies above 27.9 kHz. Opus carries nothing above
/// 20 kHz, so a steeper and more expensive filter would change no sample of a track. Linear interpolation between 512
/// fractions leaves errors below -109 dB at 20 kHz and below -160 dB at 1 kHz.
struct ResamplerKernel: Sendable {
  /// Coefficients per output sample.
  static let taps = 48
  /// Input samples needed before the position.
  static let before = taps / 2 - 1
  /// Input samples needed after the position.
  static let after = taps / 2
  /// Rows of the table, as a power of two: 512 fractions of one sample.
  static let fractionBits = 9
  static let fractions = 1 << fractionBits
  /// Kaiser's β for about 115 dB (J. F. Kaiser 1974: 0.1102 (A - 8.7)).
  private static let beta = 0.1102 * (115 - 8.7)

  /// The shared kernel; the table never changes.
  static let shared = ResamplerKernel()

  /// For each fraction and every four taps: four coefficients, then their differences from the next fraction's.
  let table: [Float]

  /// Start of a fraction's row, for a position in units of one fraction.
  @inline(__always)
  static func row(_ place: Int) -> Int { (place & (fractions - 1)) &* (taps * 2) }

  private init() {
    let rows = (0...ResamplerKernel.fractions).map { row in
      ResamplerKernel.row(at: Double(row) / Double(ResamplerKernel.fractions))
    }
    var table: [Float] = []
    table.reserveCapacity(ResamplerKernel.fractions * ResamplerKernel.taps * 2)
    for (row, next) in zip(rows, rows.dropFirst()) {
      for start in stride(from: 0, to: ResamplerKernel.taps, by: 4) {
        table += row[start..<(start + 4)].map { Float($0) }
        table += (start..<(start + 4)).map { Float(next[$0] - row[$0]) }
      }
    }
    self.table = table
  }

  /// The coefficients for a position `fraction` of a sample after the sample at index `before`. Their sum is exactly
  /// 1, so that all fractions have the same gain.
  private static func row(at fraction: Double) -> [Double] {
    let row = (0..<taps).map { index in
      let distance = Double(index - before) - fraction
      return sinc(distance) * kaiser(distance / Double(taps / 2))
    }
    let sum = row.reduce(0, +)
    return row.map { $0 / sum }
  }

  private static func sinc(_ x: Double) -> Double {
    x == 0 ? 1 : sin(.pi * x) / (.pi * x)
  }

  private static func kaiser(_ x: Double) -> Double {
    abs(x) >= 1 ? 0 : BesselFunction.i0(beta * (1 - x * x).squareRoot()) / BesselFunction.i0(beta)
  }
}

/// The function behind the Kaiser window, for all filters designed here.
enum BesselFunction {
  /// The modified Bessel function of the first kind and order zero, as a power series (Abramowitz and Stegun 9.6.12).
  static func i0(_ x: Double) -> Double {
    var (sum, term, index) = (1.0, 1.0, 1.0)
    while term > sum * 1e-17 {
      term *= (x / 2 / index) * (x / 2 / index)
      sum += term
      index += 1
    }
    return sum
  }
}
