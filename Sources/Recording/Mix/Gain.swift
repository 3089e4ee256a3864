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

/// The factors of the two sides for a place between left and right.
///
/// Constant power, 1 on both sides in the middle: `√2 cos θ` and `√2 sin θ`, θ from 0 (left) to 90 degrees. Fully to one
/// side is +3 dB there. Mono tracks are placed by it; of stereo tracks it is the balance, so that neither side is ever
/// added to the other.
struct Pan: Hashable, Sendable {
  var left: Double
  var right: Double

  /// - Parameter place: -1 left, 0 the middle, 1 right.
  init(_ place: Double) {
    guard place != 0 else {
      // The cosine of 45 degrees is rounded; the middle has to be exactly unchanged.
      (left, right) = (1, 1)
      return
    }
    let angle = (min(max(place, -1), 1) + 1) * Double.pi / 4
    left = place >= 1 ? 0 : 2.0.squareRoot() * cos(angle)
    right = place <= -1 ? 0 : 2.0.squareRoot() * sin(angle)
  }
}

/// The fades at a mix's beginning and end: a quarter of a sine each (equal power), which sounds even where a straight
/// line seems to fall off at its end.
struct Fade: Hashable, Sendable {
  /// In frames.
  let fadeIn: Int64
  let fadeOut: Int64
  let length: Int64

  /// - Parameters:
  ///   - fadeIn: frames of the way up.
  ///   - fadeOut: frames of the way down.
  ///   - length: frames of the whole mix.
  init(fadeIn: Int64, fadeOut: Int64, length: Int64) {
    self.fadeIn = max(0, fadeIn)
    self.fadeOut = max(0, fadeOut)
    self.length = length
  }

  /// Fades a stretch of interleaved stereo that begins at the mix's frame `start`.
  func apply(to samples: UnsafeMutableBufferPointer<Float>, from start: Int64) {
    let frames = Int64(samples.count / 2)
    guard start < fadeIn || start + frames > length - fadeOut else { return }
    for index in 0..<frames {
      let factor = Float(self.factor(at: start + index))
      samples[Int(index) * 2] *= factor
      samples[Int(index) * 2 + 1] *= factor
    }
  }

  /// The factor at the mix's frame `frame`: 0 at the first and beyond the last.
  func factor(at frame: Int64) -> Double {
    var factor = 1.0
    if frame < fadeIn { factor *= sin(Double(frame) / Double(fadeIn) * .pi / 2) }
    let left = length - frame
    if left < fadeOut { factor *= sin(Double(max(0, left)) / Double(fadeOut) * .pi / 2) }
    return factor
  }
}
