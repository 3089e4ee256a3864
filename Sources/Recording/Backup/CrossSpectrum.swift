import Glibc

/// The spectra of two windows of sound, and their cross spectrum.
///
/// One transform computes both: one window is the real part, the other the imaginary part.
struct CrossSpectrum {
  /// Real and imaginary parts of conj(first) · second, for the lower half of the bins.
  var real: [Float]
  var imaginary: [Float]
  /// The power spectra of the first and the second window.
  var first: [Float]
  var second: [Float]

  init(_ left: [Float], _ right: [Float], _ transform: FourierTransform) {
    var (re, im) = (left, right)
    transform.forward(&re, &im)
    let count = transform.count
    let half = count / 2
    var (real, imaginary) = ([Float](repeating: 0, count: half), [Float](repeating: 0, count: half))
    var (first, second) = (real, real)
    re.withUnsafeBufferPointer { re in
      im.withUnsafeBufferPointer { im in
        for bin in 1..<half {
          let mirrored = count &- bin
          let (xRe, xIm) = ((re[bin] + re[mirrored]) / 2, (im[bin] - im[mirrored]) / 2)
          let (yRe, yIm) = ((im[bin] + im[mirrored]) / 2, (re[mirrored] - re[bin]) / 2)
          real[bin] = xRe * yRe + xIm * yIm
          imaginary[bin] = xRe * yIm - xIm * yRe
          first[bin] = xRe * xRe + xIm * xIm
          second[bin] = yRe * yRe + yIm * yIm
        }
      }
    }
    (self.real, self.imaginary, self.first, self.second) = (real, imaginary, first, second)
  }

  /// The correlation for all delays, computed from a weighted cross spectrum; negative delays lie at the end.
  static func correlation(_ real: [Float], _ imaginary: [Float], _ transform: FourierTransform) -> [Float] {
    let count = transform.count
    var (re, im) = ([Float](repeating: 0, count: count), [Float](repeating: 0, count: count))
    for bin in 1..<(count / 2) {
      (re[bin], im[bin]) = (real[bin], imaginary[bin])
      (re[count - bin], im[count - bin]) = (real[bin], -imaginary[bin])
    }
    transform.inverse(&re, &im)
    return re
  }

  /// A Hann window of `count` values.
  static func hann(_ count: Int) -> [Float] {
    (0..<count).map { index -> Float in
      let turn = (Double(index) + 0.5) / Double(count)
      return Float(0.5 - 0.5 * cos(2 * Double.pi * turn))
    }
  }
}
