import Foundation

/// The few functions that the demonstration's instruments need.
enum DemoMath {
  /// Sine of `turns` whole turns.
  static func sine(_ turns: Double) -> Double { sin(2 * .pi * turns) }
  static func exponential(_ value: Double) -> Double { exp(value) }
  static func powerOfTwo(_ value: Double) -> Double { exp2(value) }
}

/// White noise from −1 to 1, the same at every run, so that the demonstration's take can be compared with another's.
struct DemoNoise {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  mutating func next() -> Float {
    // Marsaglia's xorshift64.
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Float(Int32(truncatingIfNeeded: state >> 32)) / Float(Int32.max)
  }
}
