import Glibc

/// The filter of the resampler: a windowed sinc sampled at 512 fractions of a sample, with the slope to the next.
///
/// 48 taps under a Kaiser window, cut at Nyquist: flat to 20.3 kHz, below -110 dB from 27.7 kHz. Between ratio 0.999
/// and 1.001 everything that could alias below 20 kHz lies above 27.9 kHz, and Opus carries nothing above 20 kHz, so a
/// steeper and dearer filter would change no sample of a track. Linear interpolation between 512 fractions leaves
/// errors below -109 dB at 20 kHz and below -160 dB at 1 kHz.
struct ResamplerKernel: Sendable {
  /// Coefficients per output sample.
  static let taps = 48
  /// Input samples before the position that the filter needs.
  static let before = taps / 2 - 1
  /// Input samples after the position that the filter needs.
  static let after = taps / 2
  /// Rows of the table, as a power of two: 512 fractions of one sample.
  static let fractionBits = 9
  static let fractions = 1 << fractionBits
  /// Kaiser's β for about 115 dB (J. F. Kaiser 1974: 0.1102 (A - 8.7)).
  private static let beta = 0.1102 * (115 - 8.7)

  /// One for all: the table never changes.
  static let shared = ResamplerKernel()

  /// Per fraction, for every four taps: four coefficients and their differences to the next fraction's.
  let table: [Float]

  /// Where the row of a fraction begins, given a position in units of one fraction.
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

  /// The coefficients for a position `fraction` of a sample after the sample at index `before`, with a sum of exactly 1
  /// so that no fraction has a level of its own.
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

/// What Kaiser's window is made of, for every filter that is designed here.
enum BesselFunction {
  /// The modified Bessel function of the first kind and order zero, by its power series (Abramowitz and Stegun 9.6.12).
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
