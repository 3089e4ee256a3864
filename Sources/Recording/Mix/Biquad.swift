/// A filter of second order for two channels at once, transposed direct form II.
struct Biquad: Sendable {
  /// The coefficients, a0 being 1.
  struct Coefficients: Sendable {
    var b0: Double
    var b1: Double
    var b2: Double
    var a1: Double
    var a2: Double
  }

  private let c: Coefficients
  private var left = (first: 0.0, second: 0.0)
  private var right = (first: 0.0, second: 0.0)

  init(_ coefficients: Coefficients) {
    c = coefficients
  }

  /// The next output of each channel.
  @inline(__always)
  mutating func step(_ input: (left: Double, right: Double)) -> (left: Double, right: Double) {
    let output = (left: input.left * c.b0 + left.first, right: input.right * c.b0 + right.first)
    // In this order the next sample waits for one multiplication and two additions only.
    left.first = (input.left * c.b1 + left.second) - output.left * c.a1
    right.first = (input.right * c.b1 + right.second) - output.right * c.a1
    left.second = input.left * c.b2 - output.left * c.a2
    right.second = input.right * c.b2 - output.right * c.a2
    return output
  }

  /// Forgets what came before.
  mutating func reset() {
    (left, right) = ((0, 0), (0, 0))
  }

  /// Zeroes a memory that has sunk below `limit`.
  mutating func flush(below limit: Double) {
    if abs(left.first) < limit, abs(left.second) < limit, abs(right.first) < limit, abs(right.second) < limit {
      reset()
    }
  }
}
