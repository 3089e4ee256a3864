/// A filter of second order for two channels at once, transposed direct form II.
struct Biquad: Sendable {
  let b0: Double
  let b1: Double
  let b2: Double
  let a1: Double
  let a2: Double
  private var first = SIMD2<Double>()
  private var second = SIMD2<Double>()

  init(b0: Double, b1: Double, b2: Double, a1: Double, a2: Double) {
    (self.b0, self.b1, self.b2, self.a1, self.a2) = (b0, b1, b2, a1, a2)
  }

  /// The next output.
  @inline(__always)
  mutating func step(_ input: SIMD2<Double>) -> SIMD2<Double> {
    let output = input * b0 + first
    first = input * b1 - output * a1 + second
    second = input * b2 - output * a2
    return output
  }

  /// Forgets what came before.
  mutating func reset() {
    (first, second) = (SIMD2(), SIMD2())
  }

  /// Zeroes a memory that has sunk below `limit`.
  mutating func flush(below limit: Double) {
    if abs(first[0]) < limit, abs(first[1]) < limit, abs(second[0]) < limit, abs(second[1]) < limit { reset() }
  }
}
