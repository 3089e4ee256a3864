import TestSupport

extension SeededRandom {
  /// True with this probability.
  mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }

  /// Random bytes that begin with `first`.
  mutating func bytes(count: Int, first: UInt8) -> [UInt8] {
    [first] + (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
}
