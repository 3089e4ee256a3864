import Glibc

/// Noise of which every stretch is like no other: any 20 ms of it tell which 20 ms they are.
///
/// White noise under 8 kHz, which Opus at 128 kbit/s keeps the shape of.
package struct IdentifiableNoise: Sendable {
  private let seed: UInt64

  /// Highest frequency, in Hz.
  private static let edge = 8_000.0
  private static let reach = 24
  private static let level: Float = 0.5

  package init(seed: UInt64) {
    self.seed = seed
  }

  /// `count` mono samples at 48 kHz from sample `first` on.
  package func samples(from first: Int, count: Int) -> [Float] {
    let reach = IdentifiableNoise.reach
    let white = (0..<(count + 2 * reach)).map { value(first - reach + $0) }
    var result = [Float](repeating: 0, count: count)
    for (tap, factor) in IdentifiableNoise.taps.enumerated() {
      for index in 0..<count { result[index] += factor * white[index + tap] }
    }
    return result
  }

  private func value(_ index: Int) -> Float {
    var random = SeededRandom(seed &* 0x2545_F491_4F6C_DD1D &+ UInt64(bitPattern: Int64(index)))
    return Float(random.unit() - 0.5) * 2 * IdentifiableNoise.level
  }

  /// A sinc under a Hann window.
  private static let taps: [Float] = (-reach...reach).map { tap in
    let cutoff = edge / 48_000
    let angle = Double.pi * Double(tap)
    let sinc = tap == 0 ? 2 * cutoff : sin(2 * angle * cutoff) / angle
    return Float(sinc * (0.5 + 0.5 * cos(angle / Double(reach + 1))))
  }
}
