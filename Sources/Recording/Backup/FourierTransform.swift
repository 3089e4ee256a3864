import Glibc

/// An in-place discrete Fourier transform of a power of two of complex numbers, with separate real and imaginary
/// parts.
///
/// Radix 2, decimation in time. The factors of each stage are contiguous, so that the inner loop reads memory in
/// order and vectorises in optimised builds.
struct FourierTransform: Sendable {
  let count: Int
  private let bits: Int
  /// The factors of all stages in sequence: 1, 2, 4 … `count` / 2 of them.
  private let cosines: [Float]
  private let sines: [Float]

  /// - Precondition: `count` is a power of two, at least 2.
  init(_ count: Int) {
    precondition(count >= 2 && count & (count - 1) == 0, "\(count) is not a power of two")
    self.count = count
    bits = count.trailingZeroBitCount
    var cosines: [Float] = []
    var sines: [Float] = []
    var half = 1
    while half < count {
      for index in 0..<half {
        let angle = -Double.pi * Double(index) / Double(half)
        cosines.append(Float(cos(angle)))
        sines.append(Float(sin(angle)))
      }
      half *= 2
    }
    self.cosines = cosines
    self.sines = sines
  }

  /// Transforms `real` + i `imaginary`, both of `count` values.
  func forward(_ real: inout [Float], _ imaginary: inout [Float]) {
    precondition(real.count == count && imaginary.count == count, "the transform takes \(count) values")
    real.withUnsafeMutableBufferPointer { real in
      imaginary.withUnsafeMutableBufferPointer { imaginary in
        guard let re = real.baseAddress, let im = imaginary.baseAddress else { return }
        permute(re, im)
        cosines.withUnsafeBufferPointer { cosines in
          sines.withUnsafeBufferPointer { sines in
            guard let c = cosines.baseAddress, let s = sines.baseAddress else { return }
            var half = 1
            while half < count {
              stage(re, im, c + (half &- 1), s + (half &- 1), half)
              half &*= 2
            }
          }
        }
      }
    }
  }

  /// The inverse transform without the factor 1 / `count`: real and imaginary parts are swapped.
  func inverse(_ real: inout [Float], _ imaginary: inout [Float]) {
    forward(&imaginary, &real)
  }

  private func stage(
    _ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>, _ c: UnsafePointer<Float>,
    _ s: UnsafePointer<Float>, _ half: Int
  ) {
    var block = 0
    while block < count {
      let (lowRe, lowIm) = (re + block, im + block)
      let (highRe, highIm) = (lowRe + half, lowIm + half)
      var index = 0
      while index < half {
        let real = highRe[index] * c[index] - highIm[index] * s[index]
        let imaginary = highRe[index] * s[index] + highIm[index] * c[index]
        highRe[index] = lowRe[index] - real
        highIm[index] = lowIm[index] - imaginary
        lowRe[index] += real
        lowIm[index] += imaginary
        index &+= 1
      }
      block &+= half &* 2
    }
  }

  private func permute(_ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>) {
    var mirrored = 0
    for index in 0..<count {
      if index < mirrored {
        (re[index], re[mirrored]) = (re[mirrored], re[index])
        (im[index], im[mirrored]) = (im[mirrored], im[index])
      }
      var bit = count &>> 1
      while bit > 0, mirrored & bit != 0 {
        mirrored ^= bit
        bit &>>= 1
      }
      mirrored |= bit
    }
  }
}
