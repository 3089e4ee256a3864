/// Rounds samples to 16 bits with triangular dither (TPDF, two steps wide), which makes the error a constant noise
/// independent of the music (Lipshitz, Wannamaker, Vanderkooy 1992).
///
/// The noise has a fixed seed: equal samples give equal results.
struct Dither: Sendable {
  /// Any number except 0.
  private static let seed: UInt64 = 0x4A61_6D6A_6172_0001
  private static let scale: Float = 32_768

  private var state = Dither.seed

  /// Quantises `samples`, at most as many as `output` holds.
  mutating func quantize(_ samples: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Int16>) {
    var state = state
    for index in 0..<min(samples.count, output.count) {
      // Marsaglia's xorshift64: two independent 31-bit numbers per step serve as two uniform noises.
      state ^= state &<< 13
      state ^= state &>> 7
      state ^= state &<< 17
      let first = Float(Int32(truncatingIfNeeded: state &>> 33))
      let second = Float(Int32(truncatingIfNeeded: state & 0x7FFF_FFFF))
      let noise = (first - second) * 0x1p-31
      let value = (samples[index] * Dither.scale + noise).rounded(.toNearestOrEven)
      // NaN compares false with everything and becomes silence.
      output[index] = value >= 32_767 ? 32_767 : value <= -32_768 ? -32_768 : value == value ? Int16(value) : 0
    }
    self.state = state
  }
}
