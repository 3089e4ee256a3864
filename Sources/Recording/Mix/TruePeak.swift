/// Peaks between samples, measured by fourfold oversampling (ITU-R BS.1770-4 annex 2).
struct TruePeak: Sendable {
  /// Taps of each of the three filters for the quarter positions between two samples.
  static let taps = 24
  /// Samples needed before the one that the quarter positions follow.
  static let before = taps / 2 - 1
  /// Samples needed after it.
  static let after = taps / 2

  static let shared = TruePeak()

  /// Samples processed together.
  static let group = 4

  /// The coefficients of the three filters for each tap.
  private let filters: [Float]
  /// Upper limit of the ratio of a true peak to the highest sample around it.
  let worstOvershoot: Float

  private init() {
    let filter = WindowedSinc(taps: TruePeak.taps, window: .cosineSquared)
    let rows = (1...3).map { filter.row(at: Double($0) / 4) }
    filters = (0..<TruePeak.taps).flatMap { tap in rows.map { Float($0[tap]) } }
    let worst = rows.map { $0.reduce(0) { $0 + abs($1) } }.max() ?? 1
    // Increased by a ten-thousandth to allow for float rounding.
    worstOvershoot = Float(worst * 1.0001)
  }

  /// The highest absolute value at each of four samples and at the three quarter positions after each.
  ///
  /// `samples` must have `before` samples before it and `after` samples after the fourth.
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

  /// Absolute values, by clearing the sign bits.
  @inline(__always)
  private static func magnitude(_ samples: SIMD4<Float>) -> SIMD4<Float> {
    unsafeBitCast(unsafeBitCast(samples, to: SIMD4<UInt32>.self) & 0x7FFF_FFFF, to: SIMD4<Float>.self)
  }

  /// The highest true peak of a whole plane, with silence assumed beyond its edges.
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

/// The highest true peak of a stream of interleaved stereo (ITU-R BS.1770-4 annex 2), measured as it passes.
struct TruePeakMeter: Sendable {
  /// Frames processed together; the filters are skipped if none of them can be the highest so far.
  private static let stretch = 64
  /// Frames before and after a stretch within the filters' reach.
  private static let reach = TruePeak.before + TruePeak.after + TruePeak.group

  private(set) var highest: Float = 0
  private let meter = TruePeak.shared
  /// The last frames of each channel, followed by the new ones.
  private var left = [Float](repeating: 0, count: TruePeakMeter.reach)
  private var right = [Float](repeating: 0, count: TruePeakMeter.reach)

  /// Adds interleaved samples.
  mutating func add(_ samples: UnsafeBufferPointer<Float>) {
    let frames = samples.count / 2
    let known = left.count
    for index in 0..<frames {
      left.append(samples[index &* 2])
      right.append(samples[index &* 2 &+ 1])
    }
    examine(known + frames - TruePeakMeter.reach)
  }

  /// Ends the stream with silence.
  mutating func finish() {
    let silence = [Float](repeating: 0, count: TruePeakMeter.reach)
    left += silence
    right += silence
    examine(left.count - TruePeakMeter.reach)
  }

  /// Examines the first `count` new frames, and keeps the frames needed for the next ones.
  private mutating func examine(_ count: Int) {
    let groups = count / TruePeak.group
    guard groups > 0 else { return }
    let done = groups * TruePeak.group
    var highest = highest
    for plane in [left, right] {
      plane.withUnsafeBufferPointer { plane in
        guard let base = plane.baseAddress else { return }
        for start in stride(from: 0, to: done, by: TruePeakMeter.stretch) {
          let end = min(start + TruePeakMeter.stretch, done)
          let window = UnsafeBufferPointer(start: base + start, count: end - start + TruePeakMeter.reach)
          guard SamplePeak.highest(window) * meter.worstOvershoot > highest else { continue }
          for index in stride(from: start, to: end, by: TruePeak.group) {
            highest = max(highest, meter.peaks(at: base + index + TruePeak.before).max())
          }
        }
      }
    }
    self.highest = highest
    left.removeFirst(done)
    right.removeFirst(done)
  }
}

/// The highest sample of a stretch.
enum SamplePeak {
  /// The highest absolute value.
  ///
  /// Four running maxima, which optimised builds vectorise.
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
