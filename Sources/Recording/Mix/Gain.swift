import Glibc

/// A linear gain, made from decibels.
package struct Gain: Hashable, Sendable, Codable {
  /// The factor for samples.
  package var factor: Float

  package init(factor: Float) {
    self.factor = factor
  }

  /// Converts `decibels`: 0 leaves samples unchanged, -6 about halves them.
  package init(decibels: Double) {
    factor = Float(pow(10, decibels / 20))
  }

  /// The level of the amplitude `peak` in dBFS; nil for silence.
  package static func level(of peak: Float) -> Double? {
    peak > 0 ? 20 * log10(Double(peak)) : nil
  }
}

/// The gains of the two sides for a pan position.
///
/// Constant power with 0 dB in the centre: `√2 cos θ` and `√2 sin θ`, θ from 0 (left) to 90 degrees, so a hard-panned
/// signal gets +3 dB. Mono tracks are panned with it. For stereo tracks it is the balance, so that neither side is
/// ever mixed into the other.
struct Pan: Hashable, Sendable {
  var left: Double
  var right: Double

  /// - Parameter place: -1 is left, 0 the centre, 1 right.
  init(_ place: Double) {
    guard place != 0 else {
      // The cosine of 45 degrees is rounded, but the centre must be exactly unchanged.
      (left, right) = (1, 1)
      return
    }
    let angle = (min(max(place, -1), 1) + 1) * Double.pi / 4
    left = place >= 1 ? 0 : 2.0.squareRoot() * cos(angle)
    right = place <= -1 ? 0 : 2.0.squareRoot() * sin(angle)
  }
}

/// The fades at the beginning and end of a mix: a quarter sine each (equal power), which sounds more even than a
/// straight line.
struct Fade: Hashable, Sendable {
  /// In frames.
  let fadeIn: Int64
  let fadeOut: Int64
  let length: Int64

  /// - Parameters:
  ///   - fadeIn: length of the fade-in in frames.
  ///   - fadeOut: length of the fade-out in frames.
  ///   - length: length of the whole mix in frames.
  init(fadeIn: Int64, fadeOut: Int64, length: Int64) {
    self.fadeIn = max(0, fadeIn)
    self.fadeOut = max(0, fadeOut)
    self.length = length
  }

  /// Applies the fades to interleaved stereo that begins at frame `start` of the mix.
  func apply(to samples: UnsafeMutableBufferPointer<Float>, from start: Int64) {
    let frames = Int64(samples.count / 2)
    guard start < fadeIn || start + frames > length - fadeOut else { return }
    for index in 0..<frames {
      let factor = Float(self.factor(at: start + index))
      samples[Int(index) * 2] *= factor
      samples[Int(index) * 2 + 1] *= factor
    }
  }

  /// The gain at `frame` of the mix: 0 at the first and beyond the last.
  func factor(at frame: Int64) -> Double {
    var factor = 1.0
    if frame < fadeIn { factor *= sin(Double(frame) / Double(fadeIn) * .pi / 2) }
    let left = length - frame
    if left < fadeOut { factor *= sin(Double(max(0, left)) / Double(fadeOut) * .pi / 2) }
    return factor
  }
}
