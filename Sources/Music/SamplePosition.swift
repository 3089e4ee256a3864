/// A position or length on a take's time line, in whole samples at 48 kHz from the take's zero.
///
/// All of Jamjar's time lines are integers at 48 kHz, so lengths never depend on rounding.
package struct SamplePosition: Hashable, Comparable, Sendable, Codable {
  /// Samples per second of every time line, in Hz.
  package static let rate: Int64 = 48_000

  package var samples: Int64

  package init(_ samples: Int64) {
    self.samples = samples
  }

  package static let zero = SamplePosition(0)

  /// The positions accepted from files, requests and command lines, in samples: 186 years either way.
  ///
  /// This is far beyond any take, and far enough from the limits of 64 bits that sums and nanoseconds cannot
  /// overflow.
  package static let permitted: ClosedRange<Int64> = -(1 << 48)...(1 << 48)

  /// The sample nearest to a time from outside; nil if it is not in `permitted`.
  package init?(seconds: Double) {
    guard let samples = Int64(exactly: (seconds * Double(SamplePosition.rate)).rounded()),
      SamplePosition.permitted.contains(samples)
    else { return nil }
    self.samples = samples
  }

  /// Seconds from the take's zero, as a fraction.
  package var seconds: Double { Double(samples) / Double(SamplePosition.rate) }

  /// Time from the take's zero, rounded down to nanoseconds.
  package var duration: Duration {
    let (seconds, rest) = samples.quotientAndRemainder(dividingBy: SamplePosition.rate)
    return .seconds(seconds) + .nanoseconds(rest * 1_000_000_000 / SamplePosition.rate)
  }

  package static func < (left: SamplePosition, right: SamplePosition) -> Bool { left.samples < right.samples }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    samples = try container.decode(Int64.self)
    guard SamplePosition.permitted.contains(samples) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "\(samples) samples lie further than 2^48 from the take's zero, which no take has")
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(samples)
  }
}
