/// How high the samples of a stretch go.
enum SamplePeak {
  /// The highest absolute value.
  ///
  /// Four numbers in step, which optimised builds make vectors of.
  static func highest(_ samples: UnsafeBufferPointer<Float>) -> Float {
    guard let base = samples.baseAddress else { return 0 }
    var (h0, h1, h2, h3): (Float, Float, Float, Float) = (0, 0, 0, 0)
    var index = 0
    while index &+ 4 <= samples.count {
      let x = base + index
      let (a0, a1, a2, a3) = (x[0].magnitude, x[1].magnitude, x[2].magnitude, x[3].magnitude)
      h0 = a0 > h0 ? a0 : h0
      h1 = a1 > h1 ? a1 : h1
      h2 = a2 > h2 ? a2 : h2
      h3 = a3 > h3 ? a3 : h3
      index &+= 4
    }
    while index < samples.count {
      let a = base[index].magnitude
      h0 = a > h0 ? a : h0
      index &+= 1
    }
    return max(max(h0, h1), max(h2, h3))
  }
}
