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

  /// Samples that are looked at together.
  static let group = 4

  /// For every tap the coefficients of the three filters.
  private let filters: [Float]
  /// No true peak is higher than this times the highest sample around it.
  let worstOvershoot: Float

  private init() {
    let rows = (1...3).map { TruePeak.row(at: Double($0) / 4) }
    filters = (0..<TruePeak.taps).flatMap { tap in rows.map { Float($0[tap]) } }
    let worst = rows.map { $0.reduce(0) { $0 + abs($1) } }.max() ?? 1
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

  /// The highest absolute value at each of four samples and at the three quarters after each.
  ///
  /// `samples` must have `before` samples before it and `after` behind the fourth.
  @inline(__always)
  func peaks(at samples: UnsafePointer<Float>) -> SIMD4<Float> {
    filters.withUnsafeBufferPointer { filters in
      let input = UnsafeRawPointer(samples)
      guard let filter = filters.baseAddress else { return SIMD4() }
      let first = UnsafeRawPointer(samples - TruePeak.before)
      var (quarter, half, threeQuarters) = (SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>())
      var tap = 0
      while tap < TruePeak.taps {
        let four = first.loadUnaligned(fromByteOffset: tap &* 4, as: SIMD4<Float>.self)
        quarter += four * filter[tap &* 3]
        half += four * filter[tap &* 3 &+ 1]
        threeQuarters += four * filter[tap &* 3 &+ 2]
        tap &+= 1
      }
      var peaks = TruePeak.magnitude(input.loadUnaligned(as: SIMD4<Float>.self))
      let (a, b, c) = (TruePeak.magnitude(quarter), TruePeak.magnitude(half), TruePeak.magnitude(threeQuarters))
      peaks.replace(with: a, where: a .> peaks)
      peaks.replace(with: b, where: b .> peaks)
      peaks.replace(with: c, where: c .> peaks)
      return peaks
    }
  }

  /// Absolute values: without the sign bits.
  @inline(__always)
  private static func magnitude(_ samples: SIMD4<Float>) -> SIMD4<Float> {
    unsafeBitCast(unsafeBitCast(samples, to: SIMD4<UInt32>.self) & 0x7FFF_FFFF, to: SIMD4<Float>.self)
  }

  /// The highest true peak of a whole plane; edges count as silence beyond.
  static func highest(in plane: [Float]) -> Float {
    let padded = [Float](repeating: 0, count: taps) + plane + [Float](repeating: 0, count: taps + group)
    return padded.withUnsafeBufferPointer { samples in
      guard let base = samples.baseAddress else { return 0 }
      var highest: Float = 0
      for index in stride(from: before, to: samples.count - after - group, by: group) {
        highest = max(highest, shared.peaks(at: base + index).max())
      }
      return highest
    }
  }
}
