import Glibc

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
