import Glibc

/// Designs every filter that reads a signal between its samples: a sinc under a window, and for each place between two
/// samples a row of coefficients.
///
/// The rows are the same on every machine and in every release: a take that is rendered again has the same samples.
struct WindowedSinc: Sendable {
  /// How the sinc comes to its ends.
  enum Window: Sendable {
    /// Kaiser's, for so many dB of attenuation (J. F. Kaiser 1974: β is 0.1102 (A - 8.7)).
    case kaiser(attenuation: Double)
    /// The square of a cosine that is zero one sample beyond the filter's ends.
    case cosineSquared
  }

  /// Coefficients of a row: an even number.
  let taps: Int
  /// Where the filter ends, as a part of half the sample rate.
  let cutoff: Double
  private let window: Window
  /// Of Kaiser's window: its β, and what makes its middle 1.
  private let beta: Double
  private let norm: Double

  init(taps: Int, cutoff: Double = 1, window: Window) {
    self.taps = taps
    self.cutoff = cutoff
    self.window = window
    if case .kaiser(let attenuation) = window { beta = 0.1102 * (attenuation - 8.7) } else { beta = 0 }
    norm = BesselFunction.i0(beta)
  }

  /// Samples before a position that its row needs, besides the one at or before it.
  var before: Int { taps / 2 - 1 }

  /// The coefficients for a position `fraction` of a sample after the sample at index `before`, with a sum of exactly 1
  /// so that no fraction has a level of its own.
  func row(at fraction: Double) -> [Double] {
    let row = (0..<taps).map { index in
      let distance = Double(index - before) - fraction
      let angle = .pi * cutoff * distance
      return (distance == 0 ? 1 : sin(angle) / angle) * weight(distance)
    }
    let sum = row.reduce(0, +)
    return row.map { $0 / sum }
  }

  private func weight(_ distance: Double) -> Double {
    switch window {
    case .kaiser:
      let x = distance / Double(taps / 2)
      return abs(x) >= 1 ? 0 : BesselFunction.i0(beta * (1 - x * x).squareRoot()) / norm
    case .cosineSquared: return pow(cos(.pi * distance / Double(taps + 2)), 2)
    }
  }

  /// Rows for so many fractions of one sample, one after the other, for reading between them in straight lines: for every
  /// four taps (`taps` is a multiple of four) their coefficients and the differences to the next fraction's.
  func table(fractions: Int) -> [Float] {
    let rows = (0...fractions).map { row(at: Double($0) / Double(fractions)) }
    var table: [Float] = []
    table.reserveCapacity(fractions * taps * 2)
    for (row, next) in zip(rows, rows.dropFirst()) {
      for start in stride(from: 0, to: taps, by: 4) {
        table += row[start..<(start + 4)].map { Float($0) }
        table += (start..<(start + 4)).map { Float(next[$0] - row[$0]) }
      }
    }
    return table
  }
}

/// What Kaiser's window is made of.
private enum BesselFunction {
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
