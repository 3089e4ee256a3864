/// A look-ahead limiter for interleaved stereo: nothing that leaves it swings above its ceiling, not even between samples.
///
/// The gain that each frame needs is held over the look-ahead, let go slowly, and averaged over the look-ahead, so that
/// it has come down smoothly by the time the peak arrives. A quiet signal passes bit by bit unchanged.
struct Limiter: Sendable {
  /// Frames by which the gain foresees a peak: 5 ms.
  static let lookahead = 240
  /// Frames by which the output lags behind the input.
  static let latency = lookahead + TruePeak.after
  /// The highest true peak, in dBTP.
  static let ceiling = -1.0
  /// Fourfold oversampling can miss the top of a peak: up to 0.5 dB at 20 kHz, 0.1 dB in music. This much is kept free.
  private static let margin = 0.3
  /// How quickly the gain returns: 63 % in 100 ms.
  private static let release: Float = 1 / 4_800
  /// Frames that are tested at once for being far from the ceiling.
  private static let stretch = 32

  private let limit = Gain(decibels: Limiter.ceiling - Limiter.margin).factor
  private let meter = TruePeak.shared
  /// The last frames of each channel, then the new ones.
  private var left: [Float]
  private var right: [Float]
  /// The gain that each frame of the last look-ahead needs, as a queue of ever higher values with their frame.
  private var minima: [(frame: Int, gain: Float)] = []
  private var firstMinimum = 0
  /// Held gains of the last look-ahead, a ring, and their sum.
  private var held = [Float](repeating: 1, count: Limiter.lookahead)
  private var heldSum = Double(Limiter.lookahead)
  private var heldGain: Float = 1
  /// Consecutive frames with a held gain of exactly 1.
  private var calm = Limiter.lookahead
  private var frame = 0
  private static let history = latency + TruePeak.before + 1

  init() {
    left = [Float](repeating: 0, count: Limiter.history)
    right = left
  }

  /// Takes interleaved frames and replaces them by the frames of `latency` frames ago.
  mutating func process(_ samples: UnsafeMutableBufferPointer<Float>) {
    let count = samples.count / 2
    for index in 0..<count {
      left.append(samples[index * 2])
      right.append(samples[index * 2 + 1])
    }
    left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return }
        var start = 0
        while start < count {
          let run = min(Limiter.stretch, count - start)
          limit(left, right, start..<(start + run), into: samples)
          start += run
        }
      }
    }
    left.removeFirst(count)
    right.removeFirst(count)
  }

  /// Output frame n is input frame n - latency; the gain that enters at n belongs to input frame n - `TruePeak.after`.
  private mutating func limit(
    _ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, _ range: Range<Int>,
    into output: UnsafeMutableBufferPointer<Float>
  ) {
    // Where input frame n lies in the planes.
    let now = Limiter.history
    let examined = now - TruePeak.after
    let delayed = now - Limiter.latency
    var highest: Float = 0
    for index in (range.lowerBound + examined - TruePeak.before)..<(range.upperBound + now) {
      highest = max(highest, max(abs(left[index]), abs(right[index])))
    }
    let isLoud = !(highest * meter.worstOvershoot <= limit)
    if !isLoud, calm >= Limiter.lookahead, firstMinimum == minima.count {
      for index in range {
        output[index * 2] = left[delayed + index]
        output[index * 2 + 1] = right[delayed + index]
      }
      frame += range.count
      return
    }
    for index in range {
      let peak = isLoud ? max(meter.peak(at: left + examined + index), meter.peak(at: right + examined + index)) : 0
      let gain = nextGain(needed: peak > limit ? limit / peak : 1)
      output[index * 2] = left[delayed + index] * gain
      output[index * 2 + 1] = right[delayed + index] * gain
    }
  }

  private mutating func nextGain(needed: Float) -> Float {
    // The sliding minimum: a needed gain drops out of the queue when a lower one comes or when the frame after its own
    // (the peak may lie between the two) has left.
    if needed < 1 {
      while minima.count > firstMinimum, let last = minima.last, last.gain >= needed { minima.removeLast() }
      minima.append((frame, needed))
    }
    while firstMinimum < minima.count, minima[firstMinimum].frame < frame - Limiter.lookahead - 1 {
      firstMinimum += 1
    }
    if firstMinimum == minima.count {
      minima.removeAll(keepingCapacity: true)
      firstMinimum = 0
    }
    let lowest = minima.isEmpty ? 1 : minima[firstMinimum].gain
    heldGain = min(lowest, heldGain + (1 - heldGain) * Limiter.release)
    // Within -0.0001 dB of 1 it is 1: then the average becomes exactly 1 again and the signal passes untouched.
    if lowest == 1, heldGain > 0.999_99 { heldGain = 1 }
    calm = heldGain == 1 ? min(calm + 1, Limiter.lookahead) : 0
    let slot = frame % Limiter.lookahead
    heldSum += Double(heldGain) - Double(held[slot])
    held[slot] = heldGain
    frame += 1
    if calm == Limiter.lookahead { heldSum = Double(Limiter.lookahead) }
    return Float(heldSum / Double(Limiter.lookahead))
  }
}
