import Glibc

/// How high a signal swings between its samples: fourfold oversampling (ITU-R BS.1770-4 annex 2).
struct TruePeak: Sendable {
  /// Taps of each of the three filters for the quarters between two samples.
  static let taps = 24
  /// Samples before the one that the quarters follow.
  static let before = taps / 2 - 1
  /// Samples after it.
  static let after = taps / 2

  static let shared = TruePeak()

  /// Three filters of six vectors each.
  private let filters: [SIMD4<Float>]
  /// No true peak is higher than this times the highest sample around it.
  let worstOvershoot: Float

  private init() {
    var filters: [SIMD4<Float>] = []
    var worst = 1.0
    for quarter in 1...3 {
      let row = TruePeak.row(at: Double(quarter) / 4)
      worst = max(worst, row.reduce(0) { $0 + abs($1) })
      for start in stride(from: 0, to: TruePeak.taps, by: 4) {
        filters.append(SIMD4(Float(row[start]), Float(row[start + 1]), Float(row[start + 2]), Float(row[start + 3])))
      }
    }
    self.filters = filters
    // A ten thousandth more, for the rounding of floats.
    worstOvershoot = Float(worst * 1.0001)
  }

  /// A sinc under a cosine-squared window.
  private static func row(at fraction: Double) -> [Double] {
    let row = (0..<taps).map { index in
      let distance = Double(index - before) - fraction
      let window = pow(cos(.pi * distance / Double(taps + 2)), 2)
      return distance == 0 ? 1 : sin(.pi * distance) / (.pi * distance) * window
    }
    let sum = row.reduce(0, +)
    return row.map { $0 / sum }
  }

  /// The highest absolute value at `sample` and at the three quarters after it.
  ///
  /// `sample` must have `before` samples before it and `after` behind it.
  @inline(__always)
  func peak(at sample: UnsafePointer<Float>) -> Float {
    filters.withUnsafeBufferPointer { filters in
      guard let filter = filters.baseAddress else { return abs(sample[0]) }
      let samples = UnsafeRawPointer(sample - TruePeak.before)
      var (first, second, third) = (SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>())
      for vector in 0..<(TruePeak.taps / 4) {
        let input = samples.loadUnaligned(fromByteOffset: vector * 16, as: SIMD4<Float>.self)
        first += filter[vector] * input
        second += filter[TruePeak.taps / 4 + vector] * input
        third += filter[TruePeak.taps / 2 + vector] * input
      }
      return max(abs(sample[0]), max(abs(first.sum()), max(abs(second.sum()), abs(third.sum()))))
    }
  }

  /// The highest true peak of a whole plane; edges count as silence beyond.
  static func highest(in plane: [Float]) -> Float {
    let padding = [Float](repeating: 0, count: taps)
    let padded = padding + plane + padding
    return padded.withUnsafeBufferPointer { samples in
      guard let base = samples.baseAddress else { return 0 }
      var highest: Float = 0
      for index in before..<(samples.count - after) { highest = max(highest, shared.peak(at: base + index)) }
      return highest
    }
  }
}
