/// A look-ahead limiter for interleaved stereo: its output never exceeds the ceiling, not even between samples.
///
/// The gain needed by each frame is held over the look-ahead, released slowly, and averaged over the look-ahead, so
/// that it has decreased smoothly when the peak arrives. A quiet signal passes bit-exactly.
struct Limiter: Sendable, Codable {
  private struct Minimum: Codable {
    var frame: Int
    var gain: Float
  }

  /// Look-ahead in frames: 5 ms.
  static let lookahead = 240
  /// Delay from input to output in frames.
  static let latency = lookahead + TruePeak.after
  /// The default ceiling, in dBTP.
  static let ceiling = -1.0
  /// Fourfold oversampling can miss the top of a peak, by up to 0.5 dB at 20 kHz and 0.1 dB in music; this is the
  /// safety margin.
  static let margin = 0.3
  /// Release rate of the gain: 63 % in 100 ms.
  private static let release = 1 / 4_800.0
  /// Frames tested together for being well below the ceiling.
  private static let stretch = 32

  private let limit: Float
  private let meter = TruePeak.shared
  /// The last frames of each channel, followed by the new ones.
  private var left: [Float]
  private var right: [Float]
  /// The gains needed by the frames of the last look-ahead, as a monotonic queue of ascending values with their
  /// frame.
  private var minima: [Minimum] = []
  private var firstMinimum = 0
  /// The held gains of the last look-ahead, as a ring buffer, and their sum.
  private var held = [Double](repeating: 1, count: Limiter.lookahead)
  private var heldSum = Double(Limiter.lookahead)
  /// A double, because a float stops a four thousandth of a decibel below 1.
  private var heldGain = 1.0
  /// Consecutive frames with a held gain of exactly 1.
  private var calm = Limiter.lookahead
  private var frame = 0
  private static let history = latency + TruePeak.before + 1

  /// Everything but the meter, which is the same everywhere.
  private enum CodingKeys: String, CodingKey {
    case limit, left, right, minima, firstMinimum, held, heldSum, heldGain, calm, frame
  }

  /// Creates a limiter for blocks of up to `frames` frames with a ceiling of `ceiling` dBTP.
  init(frames: Int, ceiling: Double = Limiter.ceiling) {
    limit = Gain(decibels: ceiling - Limiter.margin).factor
    left = [Float](repeating: 0, count: Limiter.history + frames + TruePeak.group)
    right = left
  }

  /// Replaces interleaved frames by the output, which lags by `latency` frames.
  mutating func process(_ samples: UnsafeMutableBufferPointer<Float>) {
    let count = min(samples.count / 2, left.count - Limiter.history - TruePeak.group)
    // Moved out, so that the gain can change while the planes are read.
    var (left, right) = (left, right)
    (self.left, self.right) = ([], [])
    left.withUnsafeMutableBufferPointer { left in
      right.withUnsafeMutableBufferPointer { right in
        guard let left = left.baseAddress, let right = right.baseAddress, let input = samples.baseAddress else {
          return
        }
        for index in 0..<count {
          left[Limiter.history &+ index] = input[index &* 2]
          right[Limiter.history &+ index] = input[index &* 2 &+ 1]
        }
        for start in stride(from: 0, to: count, by: Limiter.stretch) {
          limit(left, right, start..<min(start + Limiter.stretch, count), into: samples)
        }
        left.update(from: left + count, count: Limiter.history)
        right.update(from: right + count, count: Limiter.history)
      }
    }
    (self.left, self.right) = (left, right)
  }

  /// Output frame n is input frame n - latency; the gain computed at n belongs to input frame n - `TruePeak.after`.
  private mutating func limit(
    _ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, _ range: Range<Int>,
    into output: UnsafeMutableBufferPointer<Float>
  ) {
    // Index of input frame n in the planes.
    let now = Limiter.history
    let examined = now - TruePeak.after
    let delayed = now - Limiter.latency
    let first = range.lowerBound + examined - TruePeak.before
    let frames = range.upperBound + now - first
    let highest = max(
      SamplePeak.highest(UnsafeBufferPointer(start: left + first, count: frames)),
      SamplePeak.highest(UnsafeBufferPointer(start: right + first, count: frames)))
    let isLoud = !(highest * meter.worstOvershoot <= limit)
    if !isLoud, calm >= Limiter.lookahead, firstMinimum == minima.count {
      for index in range {
        output[index &* 2] = left[delayed &+ index]
        output[index &* 2 &+ 1] = right[delayed &+ index]
      }
      frame += range.count
      return
    }
    // Groups of four; the last group may read extra frames (the planes are longer) and ignores them.
    for start in stride(from: range.lowerBound, to: range.upperBound, by: TruePeak.group) {
      var peaks = SIMD4<Float>()
      if isLoud {
        let (a, b) = (meter.peaks(at: left + examined + start), meter.peaks(at: right + examined + start))
        peaks = a.replacing(with: b, where: b .> a)
      }
      for index in start..<min(start + TruePeak.group, range.upperBound) {
        let peak = peaks[index - start]
        let gain = nextGain(needed: peak > limit ? limit / peak : 1)
        output[index * 2] = left[delayed + index] * gain
        output[index * 2 + 1] = right[delayed + index] * gain
      }
    }
  }

  private mutating func nextGain(needed: Float) -> Float {
    // The sliding minimum: a gain leaves the queue when a lower one comes, or when the frame after its own has left,
    // since the peak may lie between the two.
    if needed < 1 {
      while minima.count > firstMinimum, let last = minima.last, last.gain >= needed { minima.removeLast() }
      minima.append(Minimum(frame: frame, gain: needed))
    }
    while firstMinimum < minima.count, minima[firstMinimum].frame < frame - Limiter.lookahead - 1 {
      firstMinimum += 1
    }
    if firstMinimum == minima.count {
      minima.removeAll(keepingCapacity: true)
      firstMinimum = 0
    }
    let lowest = minima.isEmpty ? 1 : Double(minima[firstMinimum].gain)
    heldGain = min(lowest, heldGain + (1 - heldGain) * Limiter.release)
    // Within 0.0001 dB of 1 it becomes 1, so that the average returns to exactly 1 and the signal passes unchanged.
    if lowest == 1, heldGain > 0.999_99 { heldGain = 1 }
    calm = heldGain == 1 ? min(calm + 1, Limiter.lookahead) : 0
    let slot = frame % Limiter.lookahead
    heldSum += heldGain - held[slot]
    held[slot] = heldGain
    frame += 1
    if calm == Limiter.lookahead { heldSum = Double(Limiter.lookahead) }
    return Float(heldSum / Double(Limiter.lookahead))
  }
}
