import Glibc

/// A factor on samples, made from decibels.
package struct Gain: Hashable, Sendable, Codable {
  /// What samples are multiplied by.
  package var factor: Float

  package init(factor: Float) {
    self.factor = factor
  }

  /// The factor of `decibels`: 0 is unchanged, -6 about a half.
  package init(decibels: Double) {
    factor = Float(pow(10, decibels / 20))
  }

  /// The level of the amplitude `peak` in dBFS, nil for silence.
  package static func level(of peak: Float) -> Double? {
    peak > 0 ? 20 * log10(Double(peak)) : nil
  }
}
